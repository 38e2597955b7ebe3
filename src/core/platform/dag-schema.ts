import * as z from 'zod';
import { applicationName, complain, label, retries, timeouts } from './schema-values.ts';

const edge = z.enum(['hard', 'soft', 'once']).meta({
  description:
    'hard: no start until Healthy. soft: order only, a failure does not block. once: Healthy once is enough on later runs.',
});

const target = z
  .string()
  .min(1)
  .meta({
    description: 'An app, a part of one (`app#part`), or a stack, which means every app of it.',
    examples: ['cert-manager', 'prometheus#crds'],
  });

const need = z.union([target, z.strictObject({ app: target, edge: edge.optional() })]);

/** What an app, a part or a stack needs. */
export const needs = z.array(need).meta({ description: 'What must be Healthy first.' });

const part = z.strictObject({
  kinds: z
    .array(z.string().min(1))
    .min(1)
    .meta({ examples: [['CustomResourceDefinition']] }),
  names: z.array(z.string().min(1)).min(1).optional().meta({ description: 'Only the objects of these names.' }),
  needs: needs.optional(),
});

const probe = z.strictObject({
  http: z
    .string()
    .superRefine((text, context) => {
      if (/^https?:\/\/[^\s/@]+(\/\S*)?$/.test(text)) return;
      complain(context, 'A probe needs an http or https address.', 'Write it as http://name.namespace.svc:port/path.');
    })
    .meta({ examples: ['http://pg.data.svc:8008/health'] }),
  expect: z.strictObject({ status: z.int().min(100).max(599) }).optional(),
});

const app = z.strictObject({
  type: z.enum(['simple', 'operator', 'database', 'vault', 'ceph']).optional().meta({
    description: 'Chooses the default time-outs.',
  }),
  layer: z.int().min(0).max(1000).optional().meta({ description: 'A label for people; never a barrier.' }),
  needs: needs.optional(),
  parts: z.record(label, part).optional().meta({
    description: 'Named objects of this app that others may need before the whole app.',
  }),
  application: applicationName.optional().meta({
    description:
      "The Argo CD Application's name when it differs; namespace/name when it is not in Argo CD's own namespace.",
  }),
  cluster: label.optional().meta({ description: "Reserved; today only the environment's own clusterName." }),
  timeouts: timeouts.optional(),
  retries: retries.optional(),
  stateful: z.boolean().optional().meta({ description: 'Holds data: teardown asks again before deleting it.' }),
  settles: z.boolean().optional().meta({ description: 'false: never reaches Synced; gate on operation and health.' }),
  mayBeEmpty: z.boolean().optional().meta({ description: 'Healthy with no resources is accepted.' }),
  probes: z.array(probe).optional().meta({ description: "Gates beyond Argo CD's own verdict." }),
});

const stack = z.strictObject({
  application: applicationName.optional().meta({ description: "The stack's parent Application." }),
  needs: needs.optional().meta({ description: 'What every app of this stack needs.' }),
  apps: z
    .record(label, app.nullable())
    .meta({ examples: [{ 'my-app': {} }], description: 'The apps of this stack by name.' }),
});

/** dag.yaml. */
export const dagSchema = z.strictObject({
  apiVersion: z.literal('tiphys.dev/v1'),
  kind: z.literal('Platform'),
  name: label,
  root: applicationName.optional().meta({ description: 'The app-of-apps Application at the top.' }),
  defaults: z.strictObject({ timeouts: timeouts.optional(), retries: retries.optional() }).optional(),
  stacks: z.record(label, stack).meta({ description: 'The stacks by name.' }),
});

/** dag.yaml after mistakes were cut out of it, so that the rest can still be checked. */
export const partialDagSchema = dagSchema.partial();

export type Dag = z.output<typeof partialDagSchema>;
export type StackSpec = z.output<typeof stack>;
export type AppSpec = z.output<typeof app>;
export type NeedSpec = z.output<typeof need>;

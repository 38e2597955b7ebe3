import * as z from 'zod';
import { needs } from './dag-schema.ts';
import { complain, label, retries, timeout, timeouts } from './schema-values.ts';

const domain = z
  .string()
  .superRefine((text, context) => {
    if (text.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text)) return;
    complain(
      context,
      'This is not a domain name.',
      'Write it as platform.example.com, in lower case and without https://.',
    );
  })
  .meta({ examples: ['platform.example.com'] });

// The sentence never repeats the value: a token inside it must not reach a log (R7.5).
const gitRepository = z
  .string()
  .superRefine((text, context) => {
    // A user alone is how ssh works; over http it is a token.
    if (/^([a-z+]+:\/\/[^/@]*:|https?:\/\/)[^/@]*@/i.test(text)) {
      complain(
        context,
        'The address of the Git repository holds a password.',
        'Remove it; Argo CD has its own repository credentials.',
      );
    } else if (!/^([a-z][a-z0-9+.-]*:\/\/\S+|[^\s@]+@[^\s:]+:\S+|\/\S+)$/i.test(text)) {
      complain(
        context,
        'This is not the address of a Git repository.',
        'Write it as https://git.example.com/team/platform.git.',
      );
    }
  })
  .meta({ examples: ['https://git.example.com/team/platform.git'] });

const overrides = z.strictObject({
  only: z.array(z.string().min(1)).min(1).optional().meta({ description: 'Deploy only these apps and stacks.' }),
  needs: z.record(z.string(), needs).optional().meta({ description: 'These replace all needs of the app.' }),
  timeouts: z.record(z.string(), timeouts).optional().meta({ description: 'Time-outs by app.' }),
});

// Hosts, not addresses with a user in them: the sentence must not repeat a password (R7.5).
const registry = z
  .string()
  .regex(/^(https?:\/\/)?[a-z0-9.-]+(:\d{1,5})?(\/[\w./-]*)?$/)
  .meta({ examples: ['quay.io', 'registry.example.com:5000'] });

const mountedSecret = z
  .string()
  .regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/)
  .meta({ examples: ['git-credentials'], description: 'A file or folder below /secrets.' });

/** What phase 0 cannot know by itself. */
export const preflightSpec = z.strictObject({
  registries: z
    .array(registry)
    .min(1)
    .optional()
    .meta({ description: 'Where images come from, or their mirrors; instead of the usual registries.' }),
  endpoints: z
    .array(z.string().regex(/^https?:\/\/[^\s@]+$/))
    .optional()
    .meta({ description: 'What else must answer.', examples: [['https://vault.example.com']] }),
  certificateAuthority: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'A PEM file with your own authorities, absolute or beside this file.' }),
  image: z
    .string()
    .regex(/^\S+$/)
    .optional()
    .meta({ description: 'With curl or wget in it, for --from-cluster; in an air-gapped cluster from your mirror.' }),
  secrets: z
    .strictObject({
      git: mountedSecret.optional(),
      registry: mountedSecret.optional(),
      dns: mountedSecret.optional(),
    })
    .optional()
    .meta({ description: 'The mounted secrets that hold credentials.' }),
  capacity: z
    .strictObject({ cpu: z.number().min(0).optional(), memory: z.string().optional() })
    .optional()
    .meta({
      description: 'What must be free in the cluster; less is a warning.',
      examples: [{ cpu: 32, memory: '128Gi' }],
    }),
  keepSealedSecretsKey: z
    .boolean()
    .optional()
    .meta({ description: 'The key of an earlier sealed-secrets controller stays: its secrets are in Git.' }),
});

export type PreflightSpec = z.output<typeof preflightSpec>;

/** environment.yaml. */
export const environmentSchema = z.strictObject({
  name: label.meta({ examples: ['production'] }),
  domain,
  gitRepository,
  gitRevision: z
    .string()
    .regex(/^\S+$/)
    .meta({ examples: ['main'] }),
  clusterName: label.optional(),
  argocdNamespace: label.optional().meta({ default: 'argocd' }),
  workflowsNamespace: label.optional().meta({ default: 'argo' }),
  timeouts: timeouts.optional(),
  retries: retries.optional(),
  runTimeout: timeout.optional(),
  engine: z.enum(['embedded', 'argo-workflows']).optional().meta({ default: 'embedded' }),
  order: z.enum(['edges', 'waves']).optional().meta({ default: 'edges' }),
  parallelism: z.int().min(0).max(10_000).optional().meta({ default: 0, description: '0 means no limit.' }),
  pvPolicy: z.enum(['retain', 'delete', 'snapshot']).optional().meta({ default: 'retain' }),
  overrides: overrides.optional().meta({ description: 'How this environment differs from the platform.' }),
  preflight: preflightSpec.optional().meta({ description: 'What `tiphys preflight` cannot know by itself.' }),
});

/** environment.yaml after mistakes were cut out of it. */
export const partialEnvironmentSchema = environmentSchema.partial();

export type EnvironmentSpec = z.output<typeof partialEnvironmentSchema>;

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
});

/** environment.yaml after mistakes were cut out of it. */
export const partialEnvironmentSchema = environmentSchema.partial();

export type EnvironmentSpec = z.output<typeof partialEnvironmentSchema>;

import { z } from 'zod';
import type { Plan } from '../plan/plan.ts';
import type { Order, Platform } from '../platform/platform.ts';
import type { PlatformOverrides } from '../platform/platform-overrides.ts';
import { readPlatform } from '../platform/read-platform.ts';
import type { SourceFile } from '../platform/yaml-source.ts';

/** Where a platform came from: what must travel so that somebody else reads the same one. */
export interface PlatformSource {
  readonly dag: SourceFile;
  readonly environment: SourceFile;
  readonly overrides: PlatformOverrides;
}

/** One run, whole: whoever has this can do any of its steps. */
export interface RunDocument {
  readonly runId: string;
  readonly source: PlatformSource;
  readonly plan: Plan;
  readonly order: Order;
  readonly parallelism: number;
  /** How many tasks each of its Workflows has at most: whoever reads it must divide it as it was divided. */
  readonly mostTasks: number;
}

const kind = 'tiphys.dev/v1 Run';

/** As JSON, the same text for the same run. */
export function writeRun({ runId, source, plan, order, parallelism, mostTasks }: RunDocument): string {
  const { nodeTimeouts, ...others } = source.overrides;
  const overrides = { ...others, ...(nodeTimeouts === undefined ? {} : { nodeTimeouts: [...nodeTimeouts] }) };
  return JSON.stringify({ kind, runId, order, parallelism, mostTasks, source: { ...source, overrides }, plan });
}

const file = z.object({ file: z.string(), text: z.string() });

const envelope = z.object({
  kind: z.literal(kind),
  runId: z.string(),
  order: z.enum(['edges', 'waves']),
  parallelism: z.number(),
  mostTasks: z.number().int().positive(),
  source: z.object({
    dag: file,
    environment: file,
    overrides: z.looseObject({ nodeTimeouts: z.array(z.tuple([z.string(), z.number()])).optional() }),
  }),
  plan: z.looseObject({ kind: z.literal('Plan'), steps: z.array(z.looseObject({ node: z.string() })) }),
});

/** The run that was written, or a sentence about why it cannot be read. */
export function readRun(text: string): RunDocument | { readonly because: string } {
  try {
    const { runId, order, parallelism, mostTasks, source, plan } = envelope.parse(JSON.parse(text));
    const { nodeTimeouts, ...others } = source.overrides;
    const overrides = { ...others, ...(nodeTimeouts === undefined ? {} : { nodeTimeouts: new Map(nodeTimeouts) }) };
    // Written by `writeRun` of a version that says the same kind; the envelope is checked, the plan inside is ours.
    return { runId, order, parallelism, mostTasks, source: { ...source, overrides }, plan: plan as unknown as Plan };
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : String(error);
    return { because: `the parameter \`run\` is not a run of this version of Tiphys: ${reason}` };
  }
}

/** The platform of a run, read again from the files that travelled with it. */
export function platformOf({ source }: Pick<RunDocument, 'source'>): Platform | { readonly because: string } {
  const { platform, problems } = readPlatform(source, source.overrides);
  if (platform !== undefined) return platform;
  const first = problems.find(({ severity }) => severity === 'error');
  return { because: `the platform of this run cannot be read: ${first?.what ?? 'unknown'}` };
}

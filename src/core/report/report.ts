import { z } from 'zod';

const edges = z.record(z.string(), z.enum(['hard', 'soft', 'once']));
const strings = z.array(z.string()).readonly();
const text = z.string().exactOptional();
const number = z.number().exactOptional();

const evidence = z.object({
  operationId: text,
  revision: text,
  operationPhase: text,
  refreshedAt: text,
  sync: text,
  health: text,
  resources: number,
  stableSeconds: number,
  checks: strings.exactOptional(),
  notes: strings.exactOptional(),
});

const segment = z.object({
  stage: z.enum(['starting', 'syncing', 'gate', 'retrying', 'deleting']),
  startSeconds: z.number().describe('since the run began'),
  endSeconds: z.number(),
});

const node = z.object({
  name: z.string(),
  stack: z.string(),
  state: z.enum(['healthy', 'skipped', 'failed', 'blocked', 'removed', 'retained', 'orphaned', 'pending']),
  startedAt: text,
  finishedAt: text,
  durationSeconds: number.describe('from its start to its end'),
  waitedSeconds: number.describe('from the start of the run to its own start'),
  attempts: z.number(),
  because: text,
  hint: text,
  waitedFor: strings,
  after: strings.describe('what had to come first, as planned'),
  edges: edges.describe('the kind of each entry of `after` that is not hard'),
  blockedBy: strings.exactOptional(),
  evidence: evidence.exactOptional(),
  objects: number.describe('how many objects a teardown removed'),
  segments: z.array(segment).readonly(),
});

const failure = z.object({
  node: z.string(),
  name: z.string().describe('what kind of failure this is'),
  because: z.string(),
  hint: z.string(),
  blocks: strings,
});

const leftover = z.object({ object: z.string(), because: z.string(), hint: text, node: text });
const warning = z.object({ message: z.string(), hint: text, node: text });

const comparison = z.object({
  since: z.string().describe('when the snapshot was taken'),
  bootstrap: strings.describe('installed by a bootstrap, which a teardown leaves'),
  others: strings.describe('nothing on them says whose they are'),
  unread: strings.describe('kinds that could not be read, so that nothing is said of them'),
});

const finding = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  rule: z.string().describe('a stable name, e.g. `no-ordering-hooks`'),
  node: text,
  object: text,
  what: z.string(),
  remedy: z.string(),
});

const health = z.enum(['Healthy', 'Suspended', 'Progressing', 'Unknown', 'Degraded', 'Failed', 'Removed']);

const stack = z.object({
  name: z.string(),
  health,
  nodes: z.number(),
  done: z.number().describe('healthy, skipped, removed or retained'),
  failed: z.number(),
  blocked: z.number(),
  pending: z.number(),
});

const run = z.object({
  kind: z.literal('Report'),
  platform: z.string(),
  action: z.enum(['deploy', 'validate', 'teardown', 'bootstrap']),
  scope: z.string(),
  runId: z.string(),
  workflow: text.describe('namespace and name of the Argo Workflow that ran it'),
  outcome: z.enum([
    'success',
    'partial',
    'failed',
    'timeout',
    'clean',
    'orphans',
    'healthy',
    'degraded',
    'unhealthy',
    'unfinished',
  ]),
  exitCode: z.number().exactOptional(),
  startedAt: text,
  finishedAt: text,
  durationSeconds: z.number(),
  interrupted: text,
  platformHealth: health,
  stacks: z.array(stack).readonly(),
  nodes: z.array(node).readonly(),
  failures: z.array(failure).readonly(),
  criticalPath: z.array(z.object({ node: z.string(), seconds: z.number() })).readonly(),
  held: strings.describe('Applications whose automatic sync is still held back'),
  orphans: z.array(leftover).readonly(),
  retained: z.array(leftover).readonly(),
  comparison: comparison
    .exactOptional()
    .describe('of a teardown with --compare: what else was not there before; what is the platform’s is in `orphans`'),
  warnings: z.array(warning).readonly(),
  compliance: z.array(finding).readonly(),
  hints: strings.describe('every remedy of this report once'),
  recommendations: strings,
});

export const reportSchema = run.extend({
  bootstrap: run
    .exactOptional()
    .describe('of a deploy that found an empty cluster: the report of the bootstrap before it'),
});

/** A run as others read it: what `-o json` prints, and what every other report is rendered from. */
export type Report = z.infer<typeof reportSchema>;
export type ReportNode = z.infer<typeof node>;
export type ReportFailure = z.infer<typeof failure>;
export type ReportStack = z.infer<typeof stack>;
export type ReportHealth = z.infer<typeof health>;
/** Something `validate` found that is against the rules, or worth knowing. */
export type Finding = z.infer<typeof finding>;

/** The JSON Schema of a report, as `tiphys schema report` prints it. New fields may appear in any release. */
export function reportJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(reportSchema, { io: 'input', target: 'draft-2020-12' });
  return { $schema: schema.$schema, title: 'Tiphys report', ...schema };
}

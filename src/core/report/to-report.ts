import type { Step } from '../plan/plan.ts';
import type { NodeRun, Run } from '../run/run.ts';
import { describeFailure } from './describe-failure.ts';
import { recommend } from './recommend.ts';
import type { Finding, Report, ReportFailure, ReportNode } from './report.ts';
import { runCriticalPath } from './run-critical-path.ts';
import { platformHealth, stackHealth } from './stack-health.ts';

export interface ReportContext {
  /** What was asked for; needed only for a validate that has not finished, the rest is known from the run. */
  readonly action?: Report['action'];
  /** Sentences or commands for whoever wants to go on, e.g. other things to try in the sandbox. */
  readonly nextSteps?: readonly string[];
  readonly compliance?: readonly Finding[];
  /** The platform's folder, so that the commands of the report can be pasted. */
  readonly folder?: string;
  /** The cluster ended with this process. */
  readonly isSandbox?: boolean;
  /** The bootstrap that came before. */
  readonly bootstrap?: Report;
}

/** The report of a run, finished or not. */
export function toReport(run: Run, context: ReportContext = {}): Report {
  const nodes = reportNodes(run);
  const action = context.action ?? actionOf(run);
  const failed = run.outcome === 'degraded' ? 'degraded' : 'failed';
  const report: Report = {
    ...heading(run, action),
    platformHealth: platformHealth(nodes, { failed, action }),
    stacks: stackHealth(nodes, { failed, action }),
    nodes,
    failures: reportFailures(run, action),
    criticalPath: runCriticalPath(run),
    held: [...run.held].sort(),
    orphans: byObject(run.orphans),
    retained: byObject([...run.retained, ...retainedNodes(run)]),
    warnings: run.warnings,
    compliance: context.compliance ?? [],
    hints: [],
    recommendations: [],
    ...given('bootstrap', context.bootstrap),
  };
  return { ...report, hints: hintsOf(report), recommendations: recommend(report, context) };
}

type Heading = Omit<
  Report,
  'platformHealth' | 'stacks' | 'nodes' | 'failures' | 'criticalPath' | 'bootstrap' | ReportLists
>;
type ReportLists = 'held' | 'orphans' | 'retained' | 'warnings' | 'compliance' | 'hints' | 'recommendations';

function heading(run: Run, action: Report['action']): Heading {
  return {
    kind: 'Report',
    platform: run.plan?.platform ?? '',
    action,
    scope: run.plan?.scope ?? 'platform',
    runId: run.runId,
    ...given('workflow', run.workflow),
    outcome: run.outcome ?? 'unfinished',
    ...given('exitCode', run.exitCode),
    ...given('startedAt', run.startedAt),
    ...given('finishedAt', run.finishedAt),
    durationSeconds: secondsBetween(run.startedAt, run.finishedAt ?? run.now) ?? 0,
    ...given('interrupted', run.interrupted),
    ...given('comparison', run.comparison),
  };
}

const validateOutcomes: ReadonlySet<string | undefined> = new Set(['healthy', 'degraded', 'unhealthy']);

function actionOf(run: Run): Report['action'] {
  return validateOutcomes.has(run.outcome) ? 'validate' : (run.plan?.action ?? 'deploy');
}

function reportNodes(run: Run): readonly ReportNode[] {
  const steps = new Map(run.plan?.steps.map((step) => [step.node, step]));
  return [...run.nodes.values()].sort(byName).map((node) => reportNode(run, node, steps.get(node.name)));
}

function reportNode(run: Run, node: NodeRun, step: Step | undefined): ReportNode {
  const end = node.finishedAt ?? (node.state === 'running' ? run.now : undefined);
  return {
    name: node.name,
    stack: node.stack,
    state: node.state === 'running' ? 'pending' : node.state,
    ...given('startedAt', node.startedAt),
    ...given('finishedAt', node.finishedAt),
    ...given('durationSeconds', secondsBetween(node.startedAt, end)),
    ...given('waitedSeconds', secondsBetween(run.startedAt, node.startedAt)),
    attempts: node.attempts,
    ...given('because', node.because),
    ...given('hint', node.hint),
    waitedFor: node.waitedFor,
    after: step?.after ?? [],
    edges: { ...step?.edges },
    ...given('blockedBy', node.blockedBy),
    ...given('evidence', node.evidence),
    ...given('objects', node.objects),
    segments: reportSegments(run, node),
  };
}

function reportSegments(run: Run, node: NodeRun): ReportNode['segments'] {
  return (node.segments ?? []).map(({ stage, from, to }) => ({
    stage,
    startSeconds: secondsBetween(run.startedAt, from) ?? 0,
    endSeconds: secondsBetween(run.startedAt, to ?? run.now) ?? 0,
  }));
}

/** Causes only: what a failure blocks is counted with it and is not a failure of its own. */
function reportFailures(run: Run, action: Report['action']): readonly ReportFailure[] {
  const nodes = [...run.nodes.values()].sort(byName);
  return nodes.filter(isCause).map((node) => ({
    node: node.name,
    ...describeFailure(node, action),
    blocks: nodes.filter((other) => other.blockedBy?.includes(node.name)).map(({ name }) => name),
  }));
}

function isCause(node: NodeRun): boolean {
  return node.state === 'failed' || node.state === 'orphaned';
}

function hintsOf(report: Report): readonly string[] {
  const told = [...report.failures, ...report.orphans, ...report.warnings];
  return [...new Set(told.flatMap(({ hint }) => hint ?? []))];
}

/** An app that a teardown kept is as much left over as an object that it kept. */
function retainedNodes(run: Run): Report['retained'] {
  const told = new Set(run.retained.map(({ object }) => object));
  return [...run.nodes.values()]
    .filter(({ state, name }) => state === 'retained' && !told.has(`Application ${name}`))
    .map(({ name, because }) => ({ object: `Application ${name}`, because: because ?? 'kept', node: name }));
}

function secondsBetween(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function byObject<T extends { readonly object: string }>(leftovers: readonly T[]): readonly T[] {
  return [...leftovers].sort((a, b) => (a.object < b.object ? -1 : a.object > b.object ? 1 : 0));
}

/** `{ key: value }`, or nothing at all: absent fields are absent in the JSON too. */
function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

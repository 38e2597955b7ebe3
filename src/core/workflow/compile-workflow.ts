import type { Plan, Step } from '../plan/plan.ts';
import { appOf } from '../platform/node-name.ts';
import type { App, Platform } from '../platform/platform.ts';
import { retryPauseMs } from '../run/retry-pause.ts';
import { dependsOf } from './depends.ts';
import { taskOf } from './task-name.ts';
import { partNames, tasksPerWorkflow, workflowParts } from './workflow-parts.ts';
import { handOverTemplate, stepTemplate, tidying } from './workflow-templates.ts';

export interface CompileOptions {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly order: 'edges' | 'waves';
  /** The document of the run, as text: see `writeRun`. */
  readonly run: string;
  /** Of each Workflow; what does not fit into the first goes into others. */
  readonly mostTasks?: number;
  /** Of the Workflow; without it the API server makes one up. */
  readonly name?: string;
  readonly runId?: string;
  /** W3C trace context of whoever started the run. */
  readonly traceparent?: string;
}

export interface Workflow {
  readonly apiVersion: 'argoproj.io/v1alpha1';
  readonly kind: 'Workflow';
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What a step may take beyond its own time-outs: to be seen, to look at its needs again, to be told. */
const slackSeconds = 120;

/**
 * The plan as a Workflow: one task a step, skipped ones left out, ordered by `depends`. Deterministic to the byte. A plan that is
 * too large for one becomes several, of which the first has the run, the mutex and the hand-over.
 */
export function compileWorkflows(options: CompileOptions): readonly Workflow[] {
  const parts = workflowParts(options.plan, options.mostTasks ?? tasksPerWorkflow);
  // Parts know each other by name, so that none can be made up by the API server.
  const first = options.name ?? (parts.length > 1 ? madeUpName(options) : undefined);
  const names = first === undefined ? [undefined] : partNames(first, parts.length);
  return parts.map((steps, index) =>
    compilePart(options, { steps, name: names[index], partOf: index > 0 ? first : undefined }),
  );
}

interface WorkflowPart {
  readonly steps: readonly Step[];
  readonly name: string | undefined;
  /** The Workflow that this one continues. */
  readonly partOf: string | undefined;
}

function compilePart(options: CompileOptions, { steps, name, partOf }: WorkflowPart): Workflow {
  const { plan, platform, runId } = options;
  const { workflowsNamespace, runTimeoutMs } = platform.environment;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      ...(name === undefined ? { generateName: `${shortName(plan.platform)}-${plan.action}-` } : { name }),
      namespace: workflowsNamespace,
      labels: labelsOf(plan.platform, runId),
      annotations: {
        'workflows.argoproj.io/title': `${plan.action} ${plan.platform}`,
        'workflows.argoproj.io/description': `scope ${plan.scope}; follow it with \`tiphys attach\``,
      },
    },
    spec: {
      entrypoint: 'plan',
      ...(partOf === undefined ? { onExit: 'hand-over' } : {}),
      arguments: { parameters: parametersOf(options, partOf) },
      // Only pods have use for it; steps that an agent runs use the agent's own.
      serviceAccountName: 'tiphys-step',
      ...(partOf === undefined ? { synchronization: { mutexes: [{ name: `tiphys-${plan.platform}` }] } } : {}),
      ...(runTimeoutMs === undefined ? {} : { activeDeadlineSeconds: Math.ceil(runTimeoutMs / 1000) }),
      ...tidying,
      templates: [
        { name: 'plan', dag: { failFast: false, tasks: tasksOf(options, steps) } },
        ...(partOf === undefined ? [handOver] : []),
      ],
    },
  };
}

const handOver = { name: 'hand-over', steps: [[{ name: 'hand-over', templateRef: handOverTemplate }]] };

/** On everything of a run (INTERFACES §4). */
function labelsOf(platform: string, runId: string | undefined): Record<string, string> {
  return {
    'app.kubernetes.io/managed-by': 'tiphys',
    'tiphys.dev/platform': platform,
    ...(runId === undefined ? {} : { 'tiphys.dev/run': runId }),
  };
}

/** The controller writes names into labels, which hold 63 characters; some are for the number of a part. */
const longestName = 54;

/** A name that says whose run it is. */
export function workflowName(platform: string, runId: string): string {
  return `${shortName(platform)}-${runId}`.slice(0, longestName).replace(/[^a-z0-9]+$/, '');
}

function shortName(platform: string): string {
  return platform.slice(0, 30).replace(/-+$/, '');
}

/** The same for the same run: a short hash of it (FNV-1a). */
function madeUpName({ plan, run }: CompileOptions): string {
  let hash = 0x811c9dc5;
  for (const character of run) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return workflowName(plan.platform, `${plan.action}-${hash.toString(16)}`);
}

function parametersOf({ plan, run, traceparent }: CompileOptions, partOf: string | undefined): object[] {
  return [
    { name: 'platform', value: plan.platform },
    { name: 'scope', value: plan.scope },
    { name: 'action', value: plan.action },
    ...(traceparent === undefined ? [] : [{ name: 'traceparent', value: traceparent }]),
    partOf === undefined ? { name: 'run', value: run } : { name: 'part-of', value: partOf },
  ];
}

function tasksOf({ platform, plan, order }: CompileOptions, steps: readonly Step[]): object[] {
  const isLarge = plan.steps.length > mostWordy;
  const tasks = new Set(steps.map((step) => step.node));
  const waves = order === 'waves' ? [...new Set(steps.map((step) => step.wave))] : [];
  return steps.map((step) => {
    const before = waves[waves.indexOf(step.wave) - 1];
    const barrier = steps.filter(({ wave }) => wave === before).map(({ node }) => node);
    const depends = dependsOf(step, { tasks, barrier });
    return {
      name: taskOf(step.node),
      templateRef: stepTemplate,
      arguments: { parameters: inputsOf(step, platform, isLarge) },
      ...(depends === undefined ? {} : { depends }),
    };
  });
}

/** Up to this many steps, tasks spell out their time-outs for people; the step knows them from the run, too. */
const mostWordy = 500;

function inputsOf(step: Step, platform: Platform, isLarge: boolean): object[] {
  const { timeouts, retries } = platform.apps.get(appOf(step.node)) as App;
  const words = {
    'sync-timeout': seconds(timeouts.syncMs),
    'health-timeout': seconds(timeouts.healthMs),
    attempts: String(retries.maxAttempts),
    backoff: seconds(retries.backoffMs),
  };
  const inputs = {
    node: step.node,
    ...(isLarge ? {} : words),
    // Where steps wait for a place, nobody can say how long; the template's own limit holds.
    ...(platform.environment.parallelism > 0 ? {} : { deadline: seconds(longestMs({ timeouts, retries })) }),
  };
  return Object.entries(inputs).map(([name, value]) => ({ name, value }));
}

/** Nobody waits longer for a step than this, whoever has died: its needs looked at again, every attempt, every pause. */
function longestMs({ timeouts, retries }: Pick<App, 'timeouts' | 'retries'>): number {
  const attempts = retries.maxAttempts * (timeouts.syncMs + 2 * timeouts.healthMs);
  let pauses = 0;
  for (let attempt = 1; attempt < retries.maxAttempts; attempt++) pauses += retryPauseMs(retries, attempt);
  return attempts + pauses + slackSeconds * 1000;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)}s`;
}

import type { Plan, Step } from '../plan/plan.ts';
import { appOf } from '../platform/node-name.ts';
import type { App, Platform } from '../platform/platform.ts';
import { dependsOf } from './depends.ts';
import { taskOf } from './task-name.ts';
import { handOverTemplate, stepTemplate } from './workflow-templates.ts';

export interface CompileOptions {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly order: 'edges' | 'waves';
  /** The document of the run, as text: see `writeRun`. */
  readonly run: string;
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

const day = 86_400;
/** What a step may take beyond its own time-outs: to be seen, to look at its needs again, to be told. */
const slackSeconds = 120;

/** The plan as a Workflow: one task a step, skipped ones left out, ordered by `depends`. Deterministic to the byte. */
export function compileWorkflow(options: CompileOptions): Workflow {
  const { plan, platform, name, runId } = options;
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
      onExit: 'hand-over',
      arguments: { parameters: parametersOf(options) },
      // Only pods have use for it; steps that an agent runs use the agent's own.
      serviceAccountName: 'tiphys-step',
      synchronization: { mutexes: [{ name: `tiphys-${plan.platform}` }] },
      ...(runTimeoutMs === undefined ? {} : { activeDeadlineSeconds: Math.ceil(runTimeoutMs / 1000) }),
      podGC: { strategy: 'OnPodSuccess' },
      ttlStrategy: { secondsAfterSuccess: 3 * day, secondsAfterFailure: 14 * day },
      templates: [
        { name: 'plan', dag: { failFast: false, tasks: tasksOf(options) } },
        { name: 'hand-over', steps: [[{ name: 'hand-over', templateRef: handOverTemplate }]] },
      ],
    },
  };
}

/** On everything of a run (INTERFACES §4). */
function labelsOf(platform: string, runId: string | undefined): Record<string, string> {
  return {
    'app.kubernetes.io/managed-by': 'tiphys',
    'tiphys.dev/platform': platform,
    ...(runId === undefined ? {} : { 'tiphys.dev/run': runId }),
  };
}

/** A name that says whose run it is. The controller writes it into labels, which hold 63 characters. */
export function workflowName(platform: string, runId: string): string {
  return `${shortName(platform)}-${runId}`.slice(0, 63).replace(/[^a-z0-9]+$/, '');
}

function shortName(platform: string): string {
  return platform.slice(0, 30).replace(/-+$/, '');
}

function parametersOf({ plan, run, traceparent }: CompileOptions): object[] {
  return [
    { name: 'platform', value: plan.platform },
    { name: 'scope', value: plan.scope },
    { name: 'action', value: plan.action },
    ...(traceparent === undefined ? [] : [{ name: 'traceparent', value: traceparent }]),
    { name: 'run', value: run },
  ];
}

function tasksOf({ platform, plan, order }: CompileOptions): object[] {
  const steps = plan.steps.filter((step) => step.action !== 'skip');
  const tasks = new Set(steps.map((step) => step.node));
  const waves = order === 'waves' ? [...new Set(steps.map((step) => step.wave))] : [];
  return steps.map((step) => {
    const before = waves[waves.indexOf(step.wave) - 1];
    const barrier = steps.filter(({ wave }) => wave === before).map(({ node }) => node);
    const depends = dependsOf(step, { tasks, barrier });
    return {
      name: taskOf(step.node),
      templateRef: stepTemplate,
      arguments: { parameters: inputsOf(step, platform) },
      ...(depends === undefined ? {} : { depends }),
    };
  });
}

function inputsOf(step: Step, platform: Platform): object[] {
  const { timeouts, retries } = platform.apps.get(appOf(step.node)) as App;
  const inputs = {
    node: step.node,
    'sync-timeout': seconds(timeouts.syncMs),
    'health-timeout': seconds(timeouts.healthMs),
    attempts: String(retries.maxAttempts),
    backoff: seconds(retries.backoffMs),
    deadline: seconds(longestMs({ timeouts, retries })),
  };
  return Object.entries(inputs).map(([name, value]) => ({ name, value }));
}

/** Nobody waits longer for a step than this, whoever has died: its needs looked at again, every attempt, every pause. */
function longestMs({ timeouts, retries }: Pick<App, 'timeouts' | 'retries'>): number {
  const attempts = retries.maxAttempts * (timeouts.syncMs + 2 * timeouts.healthMs);
  const pauses = retries.backoffMs * (2 ** (retries.maxAttempts - 1) - 1);
  return attempts + pauses + slackSeconds * 1000;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)}s`;
}

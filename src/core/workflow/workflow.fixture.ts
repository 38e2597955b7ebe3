import { assemblePlan, type PlannedStep } from '../plan/assemble-plan.ts';
import { platformWith } from '../plan/observed.fixture.ts';
import type { Plan, StepAction } from '../plan/plan.ts';
import { appOf, partOf } from '../platform/node-name.ts';
import type { App, EdgeKind, Platform } from '../platform/platform.ts';
import type { Workflow } from './compile-workflow.ts';
import type { TaskView, WorkflowView } from './workflow-view.ts';

/** Node → its needs and their kind. */
export type Needs = Readonly<Record<string, Readonly<Record<string, EdgeKind>>>>;

export function planWith(needs: Needs, skipped: ReadonlySet<string> = new Set()): Plan {
  const steps = Object.entries(needs).map(([node, edges]): PlannedStep => {
    const action: StepAction = skipped.has(node) ? 'skip' : partOf(node) === undefined ? 'sync' : 'part';
    const special = Object.entries(edges).filter(([, kind]) => kind !== 'hard');
    return {
      node,
      stack: 's',
      application: appOf(node),
      action,
      reason: '',
      after: Object.keys(edges),
      edges: Object.fromEntries(special),
    };
  });
  return assemblePlan({ platform: 'acme', action: 'deploy', scope: 'platform', steps, seconds: () => 1, problems: [] });
}

const blank = platformWith('  s:\n    apps:\n      one: {}\n');

/** A platform that knows the apps of a plan, all alike. */
export function platformFor(plan: Plan): Platform {
  const platform = blank;
  const one = platform.apps.get('one') as App;
  const names = [...new Set(plan.steps.map(({ node }) => appOf(node)))];
  return { ...platform, apps: new Map(names.map((name) => [name, { ...one, name, application: name }])) };
}

/** A task of the compiled DAG as the tests read it. */
export interface CompiledTask {
  readonly name: string;
  readonly depends?: string;
  readonly templateRef: object;
  readonly arguments: { readonly parameters: readonly { readonly name: string; readonly value: string }[] };
}

export function tasksOf(workflow: Workflow): readonly CompiledTask[] {
  const [plan] = workflow.spec['templates'] as readonly [{ readonly dag: { readonly tasks: readonly CompiledTask[] } }];
  return plan.dag.tasks;
}

export function viewOf(
  tasks: Readonly<Record<string, Partial<TaskView>>>,
  but: Partial<WorkflowView> = {},
): WorkflowView {
  return {
    name: 'acme-1',
    namespace: 'argo',
    version: '1',
    phase: 'Running',
    message: '',
    createdAt: '2026-01-05T03:00:00Z',
    startedAt: '2026-01-05T03:00:00Z',
    finishedAt: undefined,
    shutdown: undefined,
    isSuspended: false,
    labels: {},
    run: undefined,
    partOf: undefined,
    tasks: new Map(Object.entries(tasks).map(([node, task]) => [node, taskView(task)])),
    handOver: undefined,
    ...but,
  };
}

export function taskView(but: Partial<TaskView>): TaskView {
  return { phase: 'Running', message: '', startedAt: undefined, finishedAt: undefined, report: undefined, ...but };
}

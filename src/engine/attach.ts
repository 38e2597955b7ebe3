import type { Plan } from '../core/plan/plan.ts';
import type { RunEvent } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { type RunDocument, readRun } from '../core/workflow/run-document.ts';
import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import { followWorkflow } from './follow-workflow.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';
import { type RunControl, tellRun } from './run-control.ts';

/** Follows a run that is going, or tells one that has ended: everything is read from its Workflow. */
export function attach(
  world: World,
  order: { readonly workflow?: string },
  stop: AbortSignal,
): AsyncGenerator<RunEvent> {
  return tellRun(world, { stop, runTimeoutMs: undefined }, async (control) => {
    const view = await found(world, order.workflow, control.stop);
    const document = documentOf(world, view);
    const states = tellBeginning(view, document, control);
    const { name, namespace } = view;
    await followWorkflow(
      world,
      { name, namespace, plan: document.plan, mostTasks: document.mostTasks, states, isForeign: true },
      control,
    );
  });
}

async function found(world: World, name: string | undefined, signal: AbortSignal): Promise<WorkflowView> {
  if (name !== undefined) {
    const named = await world.workflows.read(name, signal);
    if (named?.partOf !== undefined) return found(world, named.partOf, signal);
    if (named !== undefined) return named;
    throw new OperatorError(`there is no Workflow ${name} of this platform`, {
      hint: '`kubectl get workflows -l app.kubernetes.io/managed-by=tiphys -A` lists them.',
    });
  }
  const all = (await world.workflows.all(signal)).filter(({ partOf }) => partOf === undefined);
  const chosen = all.findLast((view) => !isOver(view)) ?? all.at(-1);
  if (chosen !== undefined) return chosen;
  throw new OperatorError('there is no run of this platform in Argo Workflows', {
    hint: '`tiphys deploy --engine argo-workflows` starts one.',
  });
}

function documentOf(world: World, { name, namespace, run }: WorkflowView): RunDocument {
  const read = run === undefined ? { because: 'it carries no run of Tiphys' } : readRun(world.workflows.unpack(run));
  if (!('because' in read)) return read;
  throw new OperatorError(`Workflow ${namespace}/${name} cannot be followed: ${read.because}`, {
    hint: 'Use the executor of the version that submitted it.',
  });
}

/** What was told when the run began, at the time it began. */
function tellBeginning(view: WorkflowView, document: RunDocument, control: RunControl): Map<string, NodeState> {
  const { plan, order, parallelism } = document;
  const at = view.createdAt;
  const runId = document.runId === '' ? view.name : document.runId;
  const begun = { at, type: 'run-started' as const, runId, plan, engine: 'argo-workflows', order, parallelism };
  control.emit(begun);
  control.emit(submitted(at, view));
  return skippedIn(plan, at, control);
}

function submitted(at: string, { namespace, name }: WorkflowView): RunEvent {
  return { at, type: 'workflow-submitted', namespace, name };
}

function skippedIn(plan: Plan, at: string, control: RunControl): Map<string, NodeState> {
  const states = new Map<string, NodeState>();
  for (const { node, action, reason: because, evidence = {} } of plan.steps) {
    if (action !== 'skip') continue;
    states.set(node, 'skipped');
    const skipped: RunEvent = { at, type: 'node-skipped', node, because, evidence };
    control.emit(skipped);
  }
  return states;
}

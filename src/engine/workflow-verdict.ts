import type { Plan } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import { deployVerdict, type Verdict } from './deploy-verdict.ts';
import type { RunControl } from './run-control.ts';

/** How a run ended whose Workflow is over: by the states of its nodes, and by what came between. Tells what no node could tell. */
export function workflowVerdict(
  plan: Plan,
  states: ReadonlyMap<string, NodeState>,
  view: WorkflowView,
  control: RunControl,
): Verdict {
  const { shutdown, phase } = view;
  if (shutdown !== undefined && !control.stop.aborted) {
    control.emit({ type: 'run-interrupted', because: `somebody ended the Workflow (${shutdown})` });
    return { outcome: 'failed', exitCode: 1 };
  }
  const judged = deployVerdict(plan, states, control);
  if (phase === 'Succeeded' || control.stop.aborted) return judged;
  if (judged.exitCode === 0) return notHandedOver(view, control);
  if (view.tasks.size === 0) refused(view, control);
  return judged;
}

/** Healthy apps that are still held are not what was asked for. */
function notHandedOver({ handOver, message }: WorkflowView, control: RunControl): Verdict {
  control.emit({
    type: 'warning',
    message: `hand-over is not complete: ${handOver?.message ?? message}`,
    hint: 'Run the same command again: it finds everything Healthy and releases what is still held.',
  });
  return { outcome: 'partial', exitCode: 2 };
}

/** The controller did not begin at all. */
function refused({ phase, message }: WorkflowView, control: RunControl): void {
  control.emit({
    type: 'warning',
    message: `the Workflow ended in ${phase} before anything was done: ${message}`,
    hint: hintFor(message),
  });
}

function hintFor(message: string): string {
  if (/template/i.test(message)) return 'Install charts/tiphys of this version: it brings the templates.';
  if (/forbidden/i.test(message))
    return 'The Workflow controller or its ServiceAccount lacks a right: the message names it.';
  return 'Mend what the message names, then run the same command again.';
}

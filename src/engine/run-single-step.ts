import type { AgentWorld, TaskOrder, TaskResult } from './agent-ports.ts';
import { openWorkflow } from './open-workflow.ts';
import { OperatorError } from './operator-error.ts';
import { runTask } from './run-task.ts';

/** One task of a Workflow, by itself: what a pod does. Interrupted, it ends as a failure that says so. */
export async function runSingleStep(
  world: AgentWorld,
  { workflow, order }: { readonly workflow: string; readonly order: TaskOrder },
  signal: AbortSignal,
): Promise<TaskResult> {
  const ending = new AbortController();
  const closing = new AbortController();
  const opened = await openWorkflow(world, workflow, { ending, closed: closing.signal });
  if ('because' in opened) return { phase: 'Failed', message: opened.because, report: '' };
  let result: TaskResult = { phase: 'Failed', message: 'stopped on request', report: '' };
  const reporter = {
    progress: (_id: string, say: () => TaskResult): void => world.log(say().message),
    end: async (_id: string, end: TaskResult): Promise<void> => {
      result = end;
    },
  };
  try {
    const stopped = AbortSignal.any([opened.stopped, signal]);
    await runTask({ ...opened, stopped, reporter, clock: world.clock }, { id: 'step', order }, ending.signal);
    const { reason } = ending.signal;
    // Not allowed to follow the Workflow: that is why nothing was done.
    if (reason instanceof OperatorError)
      return { phase: 'Failed', message: `${reason.message}. ${reason.hint}`, report: '' };
    return result;
  } finally {
    // The next pod of this run goes on with the lease.
    await opened.host.close('leave');
    ending.abort(new Error('the step has ended'));
    closing.abort(ending.signal.reason);
  }
}

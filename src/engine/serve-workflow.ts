import type { AgentWorld, TaskOrder } from './agent-ports.ts';
import { InterruptedError } from './interrupted-error.ts';
import { type OpenedWorkflow, openWorkflow } from './open-workflow.ts';
import { OperatorError } from './operator-error.ts';
import { createPlaces } from './places.ts';
import { runTask } from './run-task.ts';
import { createTaskReporter } from './task-reporter.ts';

/** Does the tasks of one Workflow as they come, until it has none left or is over. */
export async function serveWorkflow(world: AgentWorld, workflow: string, signal: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const closing = new AbortController();
  const end = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  const reporter = createTaskReporter(world, workflow, ending.signal);
  const begun = new Set<Promise<void>>();
  let opened: OpenedWorkflow | { readonly because: string } | undefined;
  try {
    opened = await openWorkflow(world, workflow, { ending, closed: closing.signal });
    const run = opened;
    if ('host' in run) void run.host.foresee(AbortSignal.any([run.stopped, ending.signal]));
    const places = createPlaces('because' in run ? 0 : run.parallelism);
    const task = (id: string, order: TaskOrder, until: AbortSignal): Promise<void> =>
      'because' in run
        ? reporter.end(id, { phase: 'Failed', message: run.because, report: '' })
        : places.use(() => runTask({ ...run, reporter, clock: world.clock }, { id, order }, until), until);
    await doTasks(world, { workflow, task, begun, ending });
  } catch (error) {
    const { aborted, reason } = ending.signal;
    if (!aborted) throw error;
    // Not allowed to follow the Workflow: unsaid, it would be opened again and again.
    if (reason instanceof OperatorError) throw reason;
  } finally {
    signal.removeEventListener('abort', end);
    // What a task has asked for and nobody began it takes back itself, and nothing of it may come after the lease.
    ending.abort(new InterruptedError('the Workflow is over'));
    await Promise.allSettled(begun);
    // An agent that is ended leaves the lease to its successor; a Workflow that is over needs none.
    if (opened !== undefined && 'host' in opened)
      await opened.host.close(signal.aborted || !opened.isFirst ? 'leave' : 'give');
    closing.abort(new InterruptedError('the Workflow is over'));
    await reporter.close();
  }
}

interface Tasks {
  readonly workflow: string;
  readonly task: (id: string, order: TaskOrder, signal: AbortSignal) => Promise<void>;
  /** Those that have not ended. */
  readonly begun: Set<Promise<void>>;
  readonly ending: AbortController;
}

/** Starts what is new, interrupts what was taken away, and returns when there has been nothing to do for a while. */
async function doTasks(world: AgentWorld, { workflow, task, begun, ending }: Tasks): Promise<void> {
  const doing = new Map<string, AbortController>();
  let reject: (error: unknown) => void = () => undefined;
  const bug = new Promise<never>((_resolve, rejecting) => {
    reject = rejecting;
  });
  for (;;) {
    const { version } = world.taskSets;
    const set = world.taskSets.all().find((each) => each.workflow === workflow);
    if (set === undefined || set.isCompleted) return;
    for (const [id, order] of set.tasks) {
      if (doing.has(id)) continue;
      const own = new AbortController();
      doing.set(id, own);
      const one = task(id, order, AbortSignal.any([own.signal, ending.signal])).catch(reject);
      begun.add(one);
      void one.then(() => begun.delete(one));
    }
    for (const [id, own] of doing) {
      if (set.tasks.has(id)) continue;
      own.abort(new InterruptedError('the task was taken away'));
      doing.delete(id);
    }
    await Promise.race([world.taskSets.moved(version, ending.signal), bug]);
  }
}

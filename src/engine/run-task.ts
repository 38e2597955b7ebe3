import type { RunEvent, RunEventBody } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { writeReport } from '../core/workflow/step-report.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import type { TaskOrder, TaskResult } from './agent-ports.ts';
import type { Emit } from './event-queue.ts';
import { OperatorError } from './operator-error.ts';
import type { Clock } from './ports.ts';
import type { RunHost } from './run-host.ts';
import type { TaskReporter } from './task-reporter.ts';

export interface TaskContext {
  readonly host: RunHost;
  readonly view: () => Promise<WorkflowView | undefined>;
  readonly stopped: AbortSignal;
  readonly reporter: Pick<TaskReporter, 'progress' | 'end'>;
  readonly clock: Clock;
}

/** Does one task and reports how it goes and how it ended. Says nothing when it was interrupted: somebody will do it again. */
export async function runTask(
  context: TaskContext,
  { id, order }: { readonly id: string; readonly order: TaskOrder },
  signal: AbortSignal,
): Promise<void> {
  const events: RunEvent[] = [];
  const tell: Emit = (body) => {
    events.push({ at: new Date(context.clock.now()).toISOString(), ...body });
    context.reporter.progress(id, () => ({ phase: 'Running', message: sentenceOf(body), report: writeReport(events) }));
  };
  const until = AbortSignal.any([signal, context.stopped]);
  const { phase, message } = await perform(context, order, tell, until);
  if (signal.aborted) return;
  await context.reporter.end(id, { phase, message: message ?? lastWord(events), report: writeReport(events) });
}

type End = Pick<TaskResult, 'phase'> & { readonly message?: string };

async function perform(context: TaskContext, order: TaskOrder, tell: Emit, until: AbortSignal): Promise<End> {
  try {
    if (order.do === 'hand-over') return await release(context, tell, until);
    if (order.do !== 'step') return { phase: 'Failed', message: `this agent cannot do “${order.do}”` };
    const node = order.inputs['node'] ?? '';
    if (context.stopped.aborted) return endOf('running');
    const state = await context.host.step(node, order.inputs, tell, until);
    return endOf(state);
  } catch (error) {
    if (until.aborted) return endOf('running');
    if (!(error instanceof OperatorError)) throw error;
    return { phase: 'Failed', message: `${error.message}. ${error.hint}` };
  }
}

function endOf(state: NodeState): End {
  if (state === 'healthy') return { phase: 'Succeeded' };
  return state === 'running' ? { phase: 'Failed', message: 'stopped on request' } : { phase: 'Failed' };
}

async function release({ host, view }: TaskContext, tell: Emit, until: AbortSignal): Promise<End> {
  // A Workflow that was stopped still hands over what is well.
  const isComplete = await host.handOver(view, tell, until);
  if (isComplete) return { phase: 'Succeeded', message: 'Argo CD owns all of it' };
  return { phase: 'Failed', message: 'not everything is Healthy; what is not stays held' };
}

/** What a person who looks at the node wants to read. */
function sentenceOf(event: RunEventBody): string {
  switch (event.type) {
    case 'node-waiting':
      return `waits for ${event.for.join(', ')}`;
    case 'phase-started':
      return event.message;
    case 'node-started':
      return event.attempt > 1 ? `attempt ${event.attempt}` : 'started';
    case 'operation-triggered':
      return `syncing ${event.application}`;
    case 'operation-progress':
      return event.message;
    case 'operation-finished':
      return `sync ${event.phase}`;
    case 'gate-progress':
      return `waits for ${event.waitingFor}`;
    case 'node-retrying':
      return `attempt ${event.attempt} failed, next one in ${event.delaySeconds} s: ${event.because}`;
    case 'node-healthy':
      return `Healthy${event.evidence.revision === undefined ? '' : ` at ${event.evidence.revision.slice(0, 12)}`}`;
    case 'node-blocked':
      return `not started because of ${event.by.join(', ')}`;
    case 'node-failed':
      return `${event.because}. ${event.hint ?? ''}`.trim();
    default:
      return event.type;
  }
}

function lastWord(events: readonly RunEvent[]): string {
  const last = events.at(-1);
  return last === undefined ? '' : sentenceOf(last);
}

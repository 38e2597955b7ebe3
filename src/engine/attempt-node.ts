import { retryPauseMs } from '../core/run/retry-pause.ts';
import type { NodeState } from '../core/run/run.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { InterruptedError } from './interrupted-error.ts';
import { nodeStep } from './node-step.ts';
import type { StillWanted } from './operation.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';
import { type NeedsOrder, recheckNeeds } from './recheck-needs.ts';
import type { StepOrder, StepResult } from './step-result.ts';

export interface AttemptOrder extends Omit<StepOrder, 'again'> {
  /** What this node must not start without. */
  readonly needs: NeedsOrder;
  readonly hold: Hold;
}

/** Tries a node as often as its retries allow, with exponential back-off. A time-out is final (R5.5), and so is a missing right. */
export async function attemptNode(
  world: World,
  emit: Emit,
  order: AttemptOrder,
  signal: AbortSignal,
): Promise<NodeState> {
  const { node, app } = order;
  try {
    for (let attempt = 1; ; attempt++) {
      emit({ type: 'node-started', node, attempt });
      const result = await step(world, emit, { ...order, again: attempt > 1 }, signal);
      if (result.result === 'healthy') {
        emit({ type: 'node-healthy', node, evidence: result.evidence });
        order.needs.verified.set(node, world.clock.now());
        return 'healthy';
      }
      if (result.result === 'timed-out' || result.isFinal || attempt >= app.retries.maxAttempts) {
        emit({
          type: 'node-failed',
          node,
          because: result.because,
          hint: result.hint,
          attempts: attempt,
          timedOut: result.result === 'timed-out',
        });
        return 'failed';
      }
      const delayMs = retryPauseMs(app.retries, attempt);
      emit({ type: 'node-retrying', node, attempt, because: result.because, delaySeconds: delayMs / 1000 });
      await world.clock.sleep(delayMs, signal);
    }
  } catch (error) {
    if (signal.aborted || error instanceof InterruptedError) return 'running';
    throw error;
  }
}

/** What an adapter reports as the operator's business fails this node; bugs pass through. */
async function step(
  world: World,
  emit: Emit,
  order: AttemptOrder & StepOrder,
  signal: AbortSignal,
): Promise<StepResult> {
  try {
    const turned = await prepare(world, emit, order, signal);
    if (turned !== undefined) return turned;
    // Its parent, or somebody else's operation, may have taken longer than a verdict on its needs stays fresh.
    const stillWanted: StillWanted = async (until) => needsTurned(await recheckNeeds(world, emit, order, until));
    return await nodeStep(world, emit, { ...order, stillWanted }, signal);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { result: 'failed', because: error.message, hint: error.hint, isFinal: error.isFinal };
  }
}

function needsTurned(turned: Awaited<ReturnType<typeof recheckNeeds>>): Awaited<ReturnType<StillWanted>> {
  if (turned === undefined || turned.result === 'healthy') return undefined;
  return { ended: turned.result, because: turned.because, hint: turned.hint };
}

/**
 * Looks at its needs once more, while its Application is being made: that takes a while, too, and starts nothing, because it is held.
 * Both have ended when this answers, whatever goes wrong, so that no Application is made after the run. The hold may still be looked at.
 */
async function prepare(
  world: World,
  emit: Emit,
  order: AttemptOrder & StepOrder,
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  const deadline = world.clock.now() + order.app.timeouts.syncMs;
  const [made, needs, held] = await Promise.allSettled([
    order.parents.ensure(order.app.application, deadline, signal),
    recheckNeeds(world, emit, order, signal),
    order.hold.coverNowAndThen(signal),
  ]);
  for (const one of [made, needs, held]) if (one.status === 'rejected') throw one.reason;
  const turned = needs.status === 'fulfilled' ? needs.value : undefined;
  const missing = made.status === 'fulfilled' ? made.value : undefined;
  return turned ?? (missing && { result: missing.timedOut ? 'timed-out' : 'failed', ...missing });
}

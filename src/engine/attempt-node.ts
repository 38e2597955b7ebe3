import type { NodeState } from '../core/run/run.ts';
import type { Emit } from './event-queue.ts';
import { InterruptedError } from './interrupted-error.ts';
import { nodeStep, type StepOrder, type StepResult } from './node-step.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';

export interface AttemptOrder extends Omit<StepOrder, 'again'> {
  /** Applications this node must not start without: they were Healthy at their gate, and must still be. */
  readonly hardNeeds: readonly string[];
}

const longestBackoffMs = 5 * 60_000;

/** Tries a node as often as its retries allow, with exponential back-off. A time-out is final (R5.5). */
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
      const result =
        (await needsStillHealthy(world, order, signal)) ??
        (await step(world, emit, { ...order, again: attempt > 1 }, signal));
      if (result.result === 'healthy') {
        emit({ type: 'node-healthy', node, evidence: result.evidence });
        return 'healthy';
      }
      if (result.result === 'timed-out' || attempt >= app.retries.maxAttempts) {
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
      const delayMs = Math.min(longestBackoffMs, app.retries.backoffMs * 2 ** (attempt - 1));
      emit({ type: 'node-retrying', node, attempt, because: result.because, delaySeconds: delayMs / 1000 });
      await world.clock.sleep(delayMs, signal);
    }
  } catch (error) {
    if (signal.aborted || error instanceof InterruptedError) return 'running';
    throw error;
  }
}

/** What an adapter reports as the operator's business fails this node; bugs pass through. */
async function step(world: World, emit: Emit, order: StepOrder, signal: AbortSignal): Promise<StepResult> {
  try {
    return await nodeStep(world, emit, order, signal);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { result: 'failed', because: error.message, hint: error.hint };
  }
}

/**
 * A gate that opened half an hour ago proves nothing about now: a need that has turned bad since is waited for, as long as its
 * dependent would wait for its own health.
 */
async function needsStillHealthy(
  world: World,
  order: AttemptOrder,
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  const deadline = world.clock.now() + order.app.timeouts.healthMs;
  for (const name of order.hardNeeds) {
    for (;;) {
      const health = world.argocd.application(name)?.health.status ?? 'Missing';
      if (health === 'Healthy') break;
      if (world.clock.now() >= deadline) {
        return {
          result: 'timed-out',
          because: `${name}, which it needs, was Healthy at its gate but is ${health} now`,
          hint: `Mend ${name}, then run the same command again.`,
        };
      }
      await world.argocd.changed(name, deadline, signal);
    }
  }
  return undefined;
}

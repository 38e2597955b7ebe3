import type { Plan, Step } from '../core/plan/plan.ts';
import type { Order } from '../core/platform/platform.ts';
import type { NodeState } from '../core/run/run.ts';
import { isFinal, schedule, stateOf } from '../core/run/scheduler.ts';
import type { Emit } from './event-queue.ts';

export interface RunPlanOptions {
  readonly order: Order;
  readonly parallelism: number;
  /** Does one step to its end and returns the state it left the node in. Never throws for what can go wrong in a cluster. */
  readonly execute: (step: Step, signal: AbortSignal) => Promise<NodeState>;
  /** Aborted: start nothing more, give up waiting for what runs. */
  readonly stop: AbortSignal;
}

/**
 * The whole engine: start what may start, wait for any step to end, ask the scheduler again. A failure blocks exactly its
 * hard dependents. `states` comes in with what is decided already (skipped nodes) and is filled as the run goes.
 */
export async function runPlan(
  plan: Plan,
  states: Map<string, NodeState>,
  emit: Emit,
  options: RunPlanOptions,
): Promise<void> {
  const steps = new Map(plan.steps.map((step) => [step.node, step]));
  const running = new Map<string, Promise<void>>();
  const told = new Map<string, string>();
  for (;;) {
    const { start, waiting, blocked } = schedule(plan, states, { ...options, stopping: options.stop.aborted });
    for (const [node, by] of blocked) {
      states.set(node, 'blocked');
      emit({ type: 'node-blocked', node, by });
    }
    // What is blocked is final, and those who only wanted to come after it may start now: ask again.
    if (blocked.size > 0) continue;
    for (const [node, needs] of waiting) tellWaiting(emit, told, node, needs);
    for (const node of start) {
      states.set(node, 'running');
      running.set(node, begin(steps.get(node) as Step));
    }
    if (running.size === 0) return;
    await Promise.race(running.values());
  }

  async function begin(step: Step): Promise<void> {
    const state = await options.execute(step, options.stop);
    states.set(step.node, state);
    running.delete(step.node);
  }
}

/** The states a run ended in, counted over what the plan wanted. */
export function countStates(
  plan: Plan,
  states: ReadonlyMap<string, NodeState>,
): { good: number; open: number; bad: number } {
  const count = { good: 0, open: 0, bad: 0 };
  for (const { node } of plan.steps) {
    const state = stateOf(states, node);
    if (!isFinal(state)) count.open++;
    else if (state === 'failed' || state === 'blocked' || state === 'orphaned') count.bad++;
    else count.good++;
  }
  return count;
}

/** Says what a node waits for when that changes, not each time the question is asked. Long lists would repeat whole stacks. */
function tellWaiting(emit: Emit, told: Map<string, string>, node: string, needs: readonly string[]): void {
  const shown = needs.length <= 5 ? needs : needs.slice(0, 5);
  const text = shown.join(' ');
  if (needs.length === 0 || told.get(node) === text) return;
  told.set(node, text);
  emit({ type: 'node-waiting', node, for: shown });
}

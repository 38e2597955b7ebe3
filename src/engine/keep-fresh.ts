import type { Plan, Step } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { stateOf } from '../core/run/scheduler.ts';
import type { World } from './ports.ts';

/**
 * Keeps the verdicts on an app's needs young while it waits only for those that are under way, so that on its turn none has to be compared
 * once more: a comparison takes a busy Argo CD up to a second, which would lie between two apps.
 */
export interface Vigil {
  /** This node is under way. */
  started(node: string): void;
  /** Until nothing of it goes on any more. */
  settled(): Promise<void>;
}

export interface VigilOrder {
  readonly plan: Plan;
  readonly states: ReadonlyMap<string, NodeState>;
  /** Looks once more at those needs of a step that are meant, where their verdict is not young. */
  readonly lookAgain: (step: Step, isMeant: (need: string) => boolean) => Promise<unknown>;
}

const lookEveryMs = 5_000;
/** Who has waited for longer does not mind a second more, and hours of it would be many requests. */
const longestMs = 300_000;

export function createVigil(world: World, { plan, states, lookAgain }: VigilOrder, signal: AbortSignal): Vigil {
  const begun = new Map<string, Promise<unknown>>();
  const isDone = (node: string): boolean => ['healthy', 'skipped'].includes(stateOf(states, node));
  const isPending = ({ node }: Step): boolean => stateOf(states, node) === 'pending';
  const waitsOnlyForRunning = (step: Step): boolean =>
    isPending(step) && step.after.every((need) => isDone(need) || stateOf(states, need) === 'running');

  async function keep(step: Step): Promise<void> {
    const until = world.clock.now() + longestMs;
    while (isPending(step) && world.clock.now() < until) {
      await lookAgain(step, isDone);
      await world.clock.sleep(lookEveryMs, signal);
    }
  }

  return {
    started(node) {
      const next = plan.steps.filter((step) => step.after.includes(node) && waitsOnlyForRunning(step));
      // What goes wrong here goes wrong again on its turn, and is told then.
      for (const step of next)
        if (!begun.has(step.node))
          begun.set(
            step.node,
            keep(step).catch(() => undefined),
          );
    },
    async settled() {
      await Promise.all(begun.values());
    },
  };
}

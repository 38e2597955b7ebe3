import type { Plan, Step } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { stateOf } from '../core/run/scheduler.ts';
import type { Parents } from './parents.ts';
import type { World } from './ports.ts';

/**
 * Does what can be done for an app a moment before its turn, while the last of its needs are synced and only have to become Healthy: its
 * Application is made, held, so that nothing starts with it, and its other needs are looked at once more. Both take Argo CD a while,
 * which nobody has to wait for then.
 */
export interface Ahead {
  /** This node is synced and on its way to Healthy. */
  synced(node: string): void;
  /** Until nothing of it goes on any more. */
  settled(): Promise<void>;
}

export interface AheadOrder {
  readonly plan: Plan;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly parents: Parents;
  /** Looks once more at those needs of a step that have been Healthy. */
  readonly lookAgain: (step: Step, isMeant: (need: string) => boolean) => Promise<unknown>;
}

/** On its turn it is tried again, with all the time that it has, and what is wrong is told. */
const patienceMs = 30_000;

export function createAhead(world: World, order: AheadOrder, signal: AbortSignal): Ahead {
  const { plan, states, parents } = order;
  const synced = new Set<string>();
  const begun: Promise<unknown>[] = [];
  const isDone = (node: string): boolean => ['healthy', 'skipped'].includes(stateOf(states, node));
  const isNext = (step: Step): boolean =>
    stateOf(states, step.node) === 'pending' && step.after.every((need) => synced.has(need) || isDone(need));

  return {
    synced(node) {
      synced.add(node);
      for (const step of plan.steps.filter(({ after }) => after.includes(node)).filter(isNext)) {
        const made = parents.ensure(step.application, world.clock.now() + patienceMs, signal);
        begun.push(Promise.allSettled([made, order.lookAgain(step, isDone)]));
      }
    },
    async settled() {
      await Promise.all(begun);
    },
  };
}

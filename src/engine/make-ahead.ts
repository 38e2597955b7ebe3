import type { Plan, Step } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { stateOf } from '../core/run/scheduler.ts';
import { keepFresh } from './keep-fresh.ts';
import type { Parents } from './parents.ts';
import type { World } from './ports.ts';

/**
 * Does what can be done for an app before its turn, while the last of its needs are synced and only have to become Healthy: its
 * Application is made, held, so that nothing starts with it, and the verdicts on its other needs are kept young. Both take Argo CD a while,
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
  /** Looks once more at those needs of a step that are meant, where their verdict is not young. */
  readonly lookAgain: (step: Step, isMeant: (need: string) => boolean) => Promise<unknown>;
  /** Aborted when nobody waits for a turn any more. */
  readonly over: AbortSignal;
}

/** On its turn it is tried again, with all the time that it has, and what is wrong is told. */
const patienceMs = 30_000;

export function createAhead(world: World, order: AheadOrder, signal: AbortSignal): Ahead {
  const { plan, states, parents } = order;
  const synced = new Set<string>();
  const begun = new Map<string, Promise<unknown>>();
  const isDone = (node: string): boolean => ['healthy', 'skipped'].includes(stateOf(states, node));
  const isPending = ({ node }: Step): boolean => stateOf(states, node) === 'pending';
  const isNext = (step: Step): boolean =>
    isPending(step) && step.after.every((need) => synced.has(need) || isDone(need)) && !begun.has(step.node);

  function begin(step: Step): Promise<unknown> {
    const fresh = { isWaiting: () => isPending(step), lookAgain: () => order.lookAgain(step, isDone) };
    return Promise.allSettled([
      parents.ensure(step.application, world.clock.now() + patienceMs, signal),
      keepFresh(world, fresh, order.over),
    ]);
  }

  return {
    synced(node) {
      synced.add(node);
      const next = plan.steps.filter((step) => step.after.includes(node) && isNext(step));
      for (const step of next) begun.set(step.node, begin(step));
    },
    async settled() {
      await Promise.all(begun.values());
    },
  };
}

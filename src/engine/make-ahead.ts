import type { Plan, Step } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { stateOf } from '../core/run/scheduler.ts';
import { keepFresh } from './keep-fresh.ts';
import type { Parents } from './parents.ts';
import type { World } from './ports.ts';

/**
 * Does what can be done for an app before its turn. While everything it needs is done or under way its Application is made, held, so that
 * nothing starts with it; while the last of its needs are synced and only have to become Healthy the verdicts on the others are kept young.
 * Both take Argo CD a while, which nobody has to wait for then.
 */
export interface Ahead {
  /** This node is under way. */
  started(node: string): void;
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
  const made = new Map<string, Promise<unknown>>();
  const kept = new Map<string, Promise<unknown>>();
  const isDone = (node: string): boolean => ['healthy', 'skipped'].includes(stateOf(states, node));
  const isPending = ({ node }: Step): boolean => stateOf(states, node) === 'pending';
  /** Those that wait for this node, and else only for what is done or like it. */
  const nextOf = (node: string, isLikeIt: (need: string) => boolean): readonly Step[] =>
    plan.steps.filter(
      (step) =>
        step.after.includes(node) && isPending(step) && step.after.every((need) => isDone(need) || isLikeIt(need)),
    );

  function make({ application }: Step): Promise<unknown> {
    return Promise.allSettled([parents.ensure(application, world.clock.now() + patienceMs, signal)]);
  }

  function keep(step: Step): Promise<unknown> {
    const fresh = { isWaiting: () => isPending(step), lookAgain: () => order.lookAgain(step, isDone) };
    return Promise.allSettled([keepFresh(world, fresh, order.over)]);
  }

  return {
    started(node) {
      for (const step of nextOf(node, (need) => stateOf(states, need) === 'running'))
        if (!made.has(step.node)) made.set(step.node, make(step));
    },
    synced(node) {
      synced.add(node);
      for (const step of nextOf(node, (need) => synced.has(need)))
        if (!kept.has(step.node)) kept.set(step.node, keep(step));
    },
    async settled() {
      await Promise.all([...made.values(), ...kept.values()]);
    },
  };
}

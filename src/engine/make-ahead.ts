import type { Plan, Step } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { stateOf } from '../core/run/scheduler.ts';
import type { Parents } from './parents.ts';
import type { World } from './ports.ts';

/**
 * Makes Applications appear a moment before their turn: while the last of their needs are synced and only have to become Healthy. Making one
 * takes an operation of its parent, which nobody has to wait for then; it is held, so that nothing starts with it.
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
}

/** On its turn it is tried again, with all the time that it has, and what is wrong is told. */
const patienceMs = 30_000;

export function createAhead(world: World, { plan, states, parents }: AheadOrder, signal: AbortSignal): Ahead {
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
        begun.push(made.catch(() => undefined));
      }
    },
    async settled() {
      await Promise.all(begun);
    },
  };
}

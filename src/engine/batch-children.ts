import { type Company, createCompany } from './company.ts';
import {
  type ChildOrder,
  createChildren,
  type Failure,
  type Failures,
  overdue,
  untilAppeared,
  waitForChild,
} from './create-children.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import type { World } from './ports.ts';

export interface BatchOptions {
  readonly runId: string;
  readonly hold: Hold;
}

interface Batch {
  readonly children: Set<string>;
  readonly company: Company;
  /** Of whoever has the most time. */
  deadline: number;
  done: Promise<Failures> | undefined;
}

export interface Batcher {
  join(order: ChildOrder, signal: AbortSignal): Promise<Failure | undefined>;
  settled(): Promise<void>;
}

/** A parent takes one operation at a time: children that become ready together go in one batch. */
export function batchChildren(world: World, emit: Emit, { runId, hold }: BatchOptions): Batcher {
  const open = new Map<string, Batch>();
  const previous = new Map<string, Promise<unknown>>();

  async function runBatch(parent: string, batch: Batch): Promise<Failures> {
    const { signal } = batch.company;
    try {
      await previous.get(parent);
      // One breath, so that siblings whose last need was the same come along.
      await world.clock.sleep(1, signal);
      // An AppProject may have appeared since this parent was prepared, and a child may belong to it.
      await hold.coverNowAndThen(signal);
    } finally {
      // Whoever comes now, also after a failure, is in the next one.
      open.delete(parent);
    }
    const { children, deadline } = batch;
    const work = createChildren(world, emit, { parent, runId, deadline, children: [...children].sort() }, signal);
    // The next batch waits for the end, whatever it is.
    previous.set(parent, Promise.allSettled([work]));
    return work;
  }

  return {
    async join(order, signal) {
      const { parent, child, deadline } = order;
      const batch = open.get(parent) ?? { children: new Set(), company: createCompany(), deadline, done: undefined };
      open.set(parent, batch);
      batch.children.add(child);
      batch.company.join(signal);
      batch.deadline = Math.max(batch.deadline, deadline);
      batch.done ??= runBatch(parent, batch);
      return soonest(batch.done, order, signal);
    },
    async settled() {
      await Promise.allSettled([...open.values()].map(async ({ done }) => done));
      await Promise.all(previous.values());
    },
  };

  /** What has appeared is there, also while its parent is still busy with others or with its own record. */
  async function soonest(
    done: Promise<Failures>,
    order: ChildOrder,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const over = new AbortController();
    const appeared = untilAppeared(world, order, AbortSignal.any([signal, over.signal]));
    let failures: Failures | undefined;
    try {
      failures = (await Promise.race([done, appeared])) ?? undefined;
    } finally {
      over.abort();
      appeared.catch(() => undefined);
      done.catch(() => undefined);
    }
    if (world.argocd.application(order.child) !== undefined) return undefined;
    if (failures === undefined) return overdue(order.parent);
    return failures.get(order.child) ?? waitForChild(world, order, signal);
  }
}

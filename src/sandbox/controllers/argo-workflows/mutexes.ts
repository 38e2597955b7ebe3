import type { MutexStatus, Workflow } from './workflow.ts';

/** The locks of all Workflows, in the memory of one controller. */
export interface Mutexes {
  /** Takes all locks or none; says for which it waits. */
  acquire(workflow: Workflow, names: readonly string[]): { readonly waitsFor?: string; readonly free: number };
  holder(name: string): string | undefined;
  /** Gives up what the Workflow holds and waits for. */
  release(key: string): void;
}

/** Makes the locks as the Workflows in the cluster remember them. `wake` is called for who comes next when a lock is given up. */
export function createMutexes(workflows: readonly Workflow[], wake: (key: string) => void): Mutexes {
  const locks = new Map<string, Lock>();
  const lock = (name: string): Lock => {
    const found = locks.get(name) ?? { holder: undefined, queue: [] };
    locks.set(name, found);
    return found;
  };
  for (const { status } of workflows) {
    for (const { mutex, holder } of status?.synchronization?.mutex.holding ?? []) lock(mutex).holder = holder;
  }
  return {
    acquire(workflow, names) {
      const key = keyOf(workflow);
      for (const name of names) enqueue(lock(name), workflow);
      for (const name of names) {
        const { holder, queue } = lock(name);
        if (holder === key || (holder === undefined && queue[0]?.key === key)) continue;
        return { waitsFor: name, free: holder === undefined ? 1 : 0 };
      }
      for (const name of names) {
        const taken = lock(name);
        taken.holder = key;
        taken.queue = taken.queue.filter((entry) => entry.key !== key);
      }
      return { free: 1 };
    },
    holder: (name) => locks.get(name)?.holder,
    release(key) {
      for (const each of locks.values()) {
        if (each.holder !== key && each.queue.every((entry) => entry.key !== key)) continue;
        each.queue = each.queue.filter((entry) => entry.key !== key);
        if (each.holder === key) each.holder = undefined;
        const next = each.holder === undefined ? each.queue[0] : undefined;
        if (next !== undefined) wake(next.key);
      }
    },
  };
}

export const keyOf = ({ metadata }: Workflow): string => `${metadata.namespace ?? ''}/${metadata.name}`;

export function withHeld(status: MutexStatus | undefined, key: string, names: readonly string[]): MutexStatus {
  // What it waited for stays there, although it holds it now.
  return { ...status, holding: names.map((mutex) => ({ holder: key, mutex })) };
}

export function withAwaited(status: MutexStatus | undefined, mutex: string, holder: string): MutexStatus {
  const others = (status?.waiting ?? []).filter((entry) => entry.mutex !== mutex);
  return { ...status, waiting: [...others, { holder, mutex }] };
}

interface Lock {
  holder: string | undefined;
  queue: readonly Waiting[];
}

interface Waiting {
  readonly key: string;
  readonly priority: number;
  readonly since: string;
}

/** By priority, then by age. */
function enqueue(lock: Lock, workflow: Workflow): void {
  const key = keyOf(workflow);
  if (lock.holder === key || lock.queue.some((entry) => entry.key === key)) return;
  const entry = {
    key,
    priority: Number(workflow.spec['priority'] ?? 0),
    since: workflow.metadata.creationTimestamp ?? '',
  };
  const behind = lock.queue.findIndex((other) => comesBefore(entry, other));
  lock.queue = behind < 0 ? [...lock.queue, entry] : lock.queue.toSpliced(behind, 0, entry);
}

function comesBefore(a: Waiting, b: Waiting): boolean {
  return a.priority === b.priority ? a.since < b.since : a.priority > b.priority;
}

/** What every object of the API carries that a cache relies on. */
export interface Identified {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

export interface Change<T> {
  readonly type: 'set' | 'deleted' | 'resync';
  /** `namespace/name`, or the name of an object without namespace; empty for a resync. */
  readonly key: string;
  /** The object as it is now, or as it last was. */
  readonly object?: T;
}

/** Objects by key, with listeners; every method leaves the cache complete before the first listener hears of it. */
export interface ObjectCache<T> {
  get(key: string): T | undefined;
  all(): readonly T[];
  /** Counts changes. */
  readonly version: number;
  set(object: T): void;
  delete(object: T): void;
  /** Takes a fresh list as the whole truth, and tells what differs. */
  replaceAll(items: readonly T[]): void;
  subscribe(listener: (change: Change<T>) => void): () => void;
}

export function createObjectCache<T extends Identified>(): ObjectCache<T> {
  let objects = new Map<string, T>();
  let snapshot: readonly T[] | undefined;
  let version = 0;
  const listeners = new Set<(change: Change<T>) => void>();

  function tell(change: Change<T>): void {
    snapshot = undefined;
    version++;
    for (const listener of [...listeners]) listener(change);
  }

  function replaceAll(items: readonly T[]): void {
    const before = objects;
    objects = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, object] of before) if (!objects.has(key)) tell({ type: 'deleted', key, object });
    for (const [key, object] of [...objects]) {
      if (before.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion)
        tell({ type: 'set', key, object });
    }
    tell({ type: 'resync', key: '' });
  }

  return {
    get: (key) => objects.get(key),
    all: () => {
      snapshot ??= [...objects.values()];
      return snapshot;
    },
    get version() {
      return version;
    },
    set: (object) => {
      objects.set(keyOf(object), object);
      tell({ type: 'set', key: keyOf(object), object });
    },
    delete: (object) => {
      if (objects.delete(keyOf(object))) tell({ type: 'deleted', key: keyOf(object), object });
    },
    replaceAll,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** `namespace/name`, or the name of an object without namespace. */
function keyOf({ metadata: { namespace, name } }: Identified): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Whether a resourceVersion is later than another; what is not a number cannot be compared and counts as later unless equal. */
export function isLater(version: string, than: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return version !== than;
  return version.length === than.length ? version > than : version.length > than.length;
}

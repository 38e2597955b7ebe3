/** One collection of a pretended API server: objects, history, and what its answers look like. */
export interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
  readonly value?: string;
}

export interface HistoryEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Item;
}

export function createCollection() {
  const items = new Map<string, Item>();
  let history: HistoryEvent[] = [];
  let version = 100;
  let oldest = 100;
  const listeners = new Set<(event: HistoryEvent) => void>();

  function record(type: HistoryEvent['type'], name: string, value?: string): Item {
    const metadata = { name, namespace: 'argocd', resourceVersion: String(++version) };
    const object = value === undefined ? { metadata } : { metadata, value };
    if (type === 'DELETED') items.delete(name);
    else items.set(name, object);
    history.push({ type, object });
    for (const listener of listeners) listener({ type, object });
    return object;
  }

  return {
    items,
    get version() {
      return version;
    },
    put: (name: string, value = 'x') => record(items.has(name) ? 'MODIFIED' : 'ADDED', name, value),
    remove: (name: string) => (items.has(name) ? record('DELETED', name, items.get(name)?.value) : undefined),
    /** Forgets the history, as etcd's compaction does. */
    compact: () => {
      oldest = ++version;
      history = [];
    },
    remembers: (since: number) => since >= oldest,
    since: (since: number) => history.filter((event) => Number(event.object.metadata.resourceVersion) > since),
    listen: (listener: (event: HistoryEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** What a cache of it must hold. */
    contents: () => contentsOf([...items.values()]),
  };
}

export function contentsOf(items: readonly Item[]): string[] {
  return items.map((item) => `${item.metadata.name}@${item.metadata.resourceVersion}=${item.value ?? ''}`).sort();
}

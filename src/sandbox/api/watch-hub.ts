import { type ResourceType, typeKey } from '../store/objects.ts';
import type { Change, Store } from '../store/store.ts';

/** One subscription to the store that hands each change only to the watchers of its kind. */
export interface WatchHub {
  add(type: ResourceType, watcher: (change: Change) => void): () => void;
}

export function watchHub(store: Store): WatchHub {
  const watchers = new Map<string, Set<(change: Change) => void>>();
  store.subscribe((change) => {
    const interested = watchers.get(typeKey(change.resource));
    if (interested === undefined) return;
    for (const watcher of [...interested]) watcher(change);
  });
  return {
    add(type, watcher) {
      const key = typeKey(type);
      const set = watchers.get(key) ?? new Set();
      watchers.set(key, set);
      set.add(watcher);
      return () => {
        set.delete(watcher);
        if (set.size === 0 && watchers.get(key) === set) watchers.delete(key);
      };
    },
  };
}

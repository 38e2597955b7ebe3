import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { refusedLabel } from './annotations.ts';

export interface Refusals {
  /** Counts an attempt to write the object; true when this one has to fail. */
  refuses(object: KubeObject): boolean;
}

/** Counts how often each object was refused. A new commit begins again. */
export function createRefusals(commit: () => string): Refusals {
  const counts = new Map<string, number>();
  let countedAt = commit();
  return {
    refuses(object) {
      const now = commit();
      if (now !== countedAt) counts.clear();
      countedAt = now;
      const times = object.metadata.labels?.[refusedLabel];
      if (times === undefined) return false;
      const key = [object.apiVersion, object.kind, object.metadata.namespace, object.metadata.name].join('/');
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return times === 'always' || count <= Number(times);
    },
  };
}

import { type KubeObject, type ResourceType, typeKey } from './objects.ts';

/** The present objects of every kind, found by name and listed in the order of their keys. */
export interface ObjectIndex {
  get(type: ResourceType, key: string): KubeObject | undefined;
  set(type: ResourceType, key: string, object: KubeObject): void;
  delete(type: ResourceType, key: string): void;
  list(type: ResourceType, namespace: string | undefined): KubeObject[];
}

export function objectIndex(): ObjectIndex {
  const byType = new Map<string, Bucket>();
  const bucketOf = (type: ResourceType): Bucket => {
    const key = typeKey(type);
    let found = byType.get(key);
    if (found === undefined) {
      found = { objects: new Map(), keys: [] };
      byType.set(key, found);
    }
    return found;
  };
  return {
    get: (type, key) => bucketOf(type).objects.get(key),
    set(type, key, object) {
      const { objects, keys } = bucketOf(type);
      if (!objects.has(key)) keys.splice(lowerBound(keys, key), 0, key);
      objects.set(key, object);
    },
    delete(type, key) {
      const { objects, keys } = bucketOf(type);
      if (objects.delete(key)) keys.splice(lowerBound(keys, key), 1);
    },
    list(type, namespace) {
      const { objects, keys } = bucketOf(type);
      // '0' is the character after '/': the keys of one namespace lie between the two.
      const from = namespace === undefined ? 0 : lowerBound(keys, `${namespace}/`);
      const to = namespace === undefined ? keys.length : lowerBound(keys, `${namespace}0`);
      const found: KubeObject[] = [];
      for (let index = from; index < to; index++) found.push(objects.get(keys[index] as string) as KubeObject);
      return found;
    },
  };
}

interface Bucket {
  readonly objects: Map<string, KubeObject>;
  /** Sorted. */
  readonly keys: string[];
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { KubeObject, ResourceType } from '../store/objects.ts';

/** Where an object is, for looking it up again later. */
export interface Located {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** Owner uid → the objects that name it as their owner. */
export interface Dependents {
  add(type: ResourceType, object: KubeObject): void;
  remove(object: KubeObject): void;
  of(ownerUid: string): readonly Located[];
}

export function dependentIndex(): Dependents {
  const byOwner = new Map<string, Map<string, Located>>();
  return {
    add(type, object) {
      for (const { uid } of object.metadata.ownerReferences ?? []) {
        const known = byOwner.get(uid) ?? new Map<string, Located>();
        byOwner.set(uid, known.set(object.metadata.uid ?? '', locate(type, object)));
      }
    },
    remove(object) {
      for (const { uid } of object.metadata.ownerReferences ?? []) {
        const known = byOwner.get(uid);
        known?.delete(object.metadata.uid ?? '');
        if (known?.size === 0) byOwner.delete(uid);
      }
    },
    of: (ownerUid) => [...(byOwner.get(ownerUid)?.values() ?? [])],
  };
}

export function locate(type: ResourceType, { metadata }: KubeObject): Located {
  return { type, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid ?? '' };
}

import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Store } from '../store/store.ts';

/** The objects of one kind as they were at a revision, by undoing what came later; undefined when that was compacted away. */
export function snapshot(
  store: Store,
  type: ResourceType,
  namespace: string | undefined,
  revision: number,
): KubeObject[] | undefined {
  if (revision >= store.revision) return store.list(type, namespace);
  const later = store.since(revision);
  if (later === undefined) return undefined;
  const mine = later.filter(
    ({ resource, object }) =>
      resource.plural === type.plural &&
      resource.group === type.group &&
      (namespace === undefined || object.metadata.namespace === namespace),
  );
  if (mine.length === 0) return store.list(type, namespace);
  const byKey = new Map(store.list(type, namespace).map((object) => [keyOf(object), object]));
  for (let index = mine.length - 1; index >= 0; index--) {
    const change = mine[index];
    if (change === undefined) continue;
    if (change.previous === undefined) byKey.delete(keyOf(change.object));
    else byKey.set(keyOf(change.previous), change.previous);
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

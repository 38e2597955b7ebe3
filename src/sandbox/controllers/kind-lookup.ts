import type { ResourceType } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';

/** Finds a served kind by its name; undefined while its definition is missing. */
export type KindLookup = (apiVersion: string, kind: string) => ResourceType | undefined;

/** Remembers what it found, because the controllers ask all the time, until a definition changes. */
export function kindLookup(store: Store, types: ResourceTypes): KindLookup {
  const known = new Map<string, ResourceType>();
  store.subscribe((change) => {
    if (change.resource.kind === 'CustomResourceDefinition') known.clear();
  });
  return (apiVersion, kind) => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key) ?? types.byKind(apiVersion, kind);
    if (found !== undefined) known.set(key, found);
    return found;
  };
}

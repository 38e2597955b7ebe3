import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import { type Change, type Store, timestamp, withMeta } from '../store/store.ts';
import { definitionType, isDefinition } from './definitions.ts';
import type { Server } from './server.ts';

/** Serves a kind at once, as if its definition had been established long ago. For seeding a cluster. */
export function installCrd(store: Store, types: ResourceTypes, definition: KubeObject): void {
  const established = { ...definition, status: establishedStatus(definition, '2026-01-05T03:00:00Z') };
  const held = withMeta(established, { finalizers: [cleanup] });
  const made = store.create(definitionType, held, 'apiextensions');
  types.addDefinition(made);
}

/** Follows the definitions in the store: serves what they declare, and removes the objects of those that are deleted. */
export function serveDefinitions(server: Server): void {
  server.store.subscribe((change) => {
    if (isDefinition(change.resource)) follow(server, change);
    else if (change.type === 'DELETED' && change.resource.custom) finishDeletion(server, change.resource);
  });
}

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
const by = 'apiextensions';

function follow({ store, types, time }: Server, { type, object }: Change): void {
  const { name } = object.metadata;
  if (type === 'DELETED') {
    types.removeDefinition(object);
    return;
  }
  types.addDefinition(object);
  if (object.metadata.deletionTimestamp !== undefined) {
    const served = servedType(types, object);
    if (served === undefined) return;
    for (const { metadata } of store.list(served)) store.remove(served, metadata.namespace, metadata.name, by);
    finishDeletion({ store }, served);
    return;
  }
  if (isEstablished(object)) return;
  store.change(definitionType, undefined, name, by, (current) => ({
    ...withMeta(current, { finalizers: [...new Set([...(current.metadata.finalizers ?? []), cleanup])] }),
    status: establishedStatus(current, timestamp(time.now())),
  }));
}

/** The last object of a kind that is being deleted takes its definition with it. */
function finishDeletion({ store }: Pick<Server, 'store'>, type: ResourceType): void {
  const name = `${type.plural}.${type.group}`;
  const definition = store.get(definitionType, undefined, name);
  if (definition?.metadata.deletionTimestamp === undefined || store.list(type).length > 0) return;
  store.change(definitionType, undefined, name, by, (current) =>
    withMeta(current, { finalizers: (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanup) }),
  );
}

function servedType(types: ResourceTypes, definition: KubeObject): ResourceType | undefined {
  const { group, names } = definition['spec'] as { group: string; names: { plural: string } };
  return types.byPlural(group, names.plural);
}

function isEstablished(definition: KubeObject): boolean {
  const status = (definition['status'] ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return (status.conditions ?? []).some(({ type, status: value }) => type === 'Established' && value === 'True');
}

function establishedStatus(definition: KubeObject, at: string): unknown {
  const { names, versions } = definition['spec'] as {
    names: Record<string, unknown>;
    versions: readonly { name: string; storage?: boolean }[];
  };
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: at,
    reason,
    message,
  });
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: names,
    storedVersions: versions.filter(({ storage }) => storage === true).map(({ name }) => name),
  };
}

import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import { type Store, timestamp } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';

/** Empties namespaces that are being deleted and lets them go when nothing is left. Returns how to stop it. */
export function startNamespaces(world: { store: Store; types: ResourceTypes; time: SandboxTime }): () => void {
  const { store, types, time } = world;
  const namespaces = types.byPlural('', 'namespaces');
  if (namespaces === undefined) return () => {};
  const timers = new Map<string, () => void>();

  const visit = (name: string, afterMs: number, tries: number): void => {
    timers.get(name)?.();
    const cancel = time.after(afterMs, () => {
      timers.delete(name);
      const left = empty(world, namespaces, name);
      if (left > 0) visit(name, Math.min(firstRetryMs * 2 ** tries, longestRetryMs), tries + 1);
    });
    timers.set(name, cancel);
  };
  const look = ({ metadata }: KubeObject): void => {
    if (metadata.deletionTimestamp !== undefined && !timers.has(metadata.name)) visit(metadata.name, reactionMs, 0);
  };

  for (const namespace of store.list(namespaces)) look(namespace);
  const unsubscribe = store.subscribe(({ resource, type, object }) => {
    if (resource.plural === 'namespaces' && resource.group === '' && type !== 'DELETED') look(object);
  });
  return () => {
    unsubscribe();
    for (const cancel of timers.values()) cancel();
  };
}

const by = 'namespace-controller';
/** The real controller waits a little, so that late creations have become visible. */
const reactionMs = 5_000;
const firstRetryMs = 7_000;
const longestRetryMs = 60_000;

/** Deletes everything in the namespace and says how much is still there. */
function empty(
  { store, types, time }: { store: Store; types: ResourceTypes; time: SandboxTime },
  namespaces: ResourceType,
  name: string,
): number {
  const namespace = store.get(namespaces, undefined, name);
  if (namespace?.metadata.deletionTimestamp === undefined) return 0;
  const inside = types.all().filter(({ namespaced }) => namespaced);
  for (const type of inside) {
    for (const { metadata } of store.list(type, name)) store.remove(type, name, metadata.name, by);
  }
  const remaining = inside
    .map((type) => ({ type, objects: store.list(type, name) }))
    .filter(({ objects }) => objects.length > 0);
  const status = { ...(namespace['status'] as object), conditions: conditions(remaining, timestamp(time.now())) };
  store.change(namespaces, undefined, name, by, (current) => ({ ...current, status }));
  if (remaining.length > 0) return remaining.length;
  store.change(namespaces, undefined, name, by, (current) => ({
    ...current,
    spec: { ...(current['spec'] as object), finalizers: [] },
  }));
  return 0;
}

type Remaining = readonly { readonly type: ResourceType; readonly objects: readonly KubeObject[] }[];

function conditions(remaining: Remaining, at: string): unknown[] {
  const kinds = remaining.map(
    ({ type, objects }) => `${type.plural}.${type.group} has ${objects.length} resource instances`,
  );
  const held = [...countFinalizers(remaining)].map(
    ([finalizer, count]) => `${finalizer} in ${count} resource instances`,
  );
  const left: Condition =
    kinds.length === 0
      ? ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed']
      : [
          'NamespaceContentRemaining',
          'True',
          'SomeResourcesRemain',
          `Some resources are remaining: ${kinds.join(', ')}`,
        ];
  const waiting: Condition =
    held.length === 0
      ? [
          'NamespaceFinalizersRemaining',
          'False',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ]
      : [
          'NamespaceFinalizersRemaining',
          'True',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
        ];
  return [...alwaysWell, left, waiting].map(([type, status, reason, message]) => {
    return { type, status, lastTransitionTime: at, reason, message };
  });
}

type Condition = readonly [type: string, status: 'True' | 'False', reason: string, message: string];

const alwaysWell: readonly Condition[] = [
  ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    'False',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ],
  [
    'NamespaceDeletionContentFailure',
    'False',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
];

function countFinalizers(remaining: Remaining): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { objects } of remaining) {
    for (const { metadata } of objects) {
      for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  return counts;
}

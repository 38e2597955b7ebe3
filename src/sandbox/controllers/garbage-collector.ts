import type { KubeObject, OwnerReference, ResourceType } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import { type Change, type Store, withMeta } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import { type Dependents, dependentIndex, type Located, locate } from './dependents.ts';

/** Removes objects whose owners are gone, and carries out foreground and orphaning deletion. Returns how to stop it. */
export function startGarbageCollector(world: { store: Store; types: ResourceTypes; time: SandboxTime }): () => void {
  const { store, types, time } = world;
  const timers = new Set<() => void>();
  const collector: Collector = {
    store,
    types,
    dependents: dependentIndex(),
    dying: new Map(),
    soon(work) {
      const cancel = time.after(reactionMs, () => {
        timers.delete(cancel);
        work();
      });
      timers.add(cancel);
    },
  };
  for (const type of types.all()) for (const object of store.list(type)) learn(collector, type, object);
  const unsubscribe = store.subscribe((change) => look(collector, change));
  return () => {
    unsubscribe();
    for (const cancel of timers) cancel();
  };
}

interface Collector {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly dependents: Dependents;
  /** Owners that wait for their dependents, by uid. */
  readonly dying: Map<string, Located>;
  soon(work: () => void): void;
}

const by = 'garbage-collector';
/** What the real one takes between an event and its reaction. */
const reactionMs = 10;

function look(collector: Collector, { type, resource, object, previous }: Change): void {
  const { dependents, dying, soon } = collector;
  const { uid = '' } = object.metadata;
  if (previous !== undefined) dependents.remove(previous);
  if (type !== 'DELETED') {
    learn(collector, resource, object);
    return;
  }
  dying.delete(uid);
  for (const dependent of dependents.of(uid)) soon(() => collect(collector, dependent));
  for (const { uid: owner } of object.metadata.ownerReferences ?? []) {
    const waiting = dying.get(owner);
    if (waiting !== undefined) soon(() => carryOut(collector, waiting));
  }
}

function learn(collector: Collector, type: ResourceType, object: KubeObject): void {
  const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
  collector.dependents.add(type, object);
  if (ownerReferences.length > 0) collector.soon(() => collect(collector, locate(type, object)));
  const policies = finalizers.some((finalizer) => finalizer === 'orphan' || finalizer === 'foregroundDeletion');
  if (deletionTimestamp === undefined || !policies) return;
  collector.dying.set(uid, locate(type, object));
  collector.soon(() => carryOut(collector, locate(type, object)));
}

/** Owner references that lead nowhere are dropped; an object that has no other is removed. */
function collect(collector: Collector, { type, namespace, name }: Located): void {
  const { store } = collector;
  const object = store.get(type, namespace, name);
  const references = object?.metadata.ownerReferences ?? [];
  if (object === undefined || references.length === 0 || object.metadata.deletionTimestamp !== undefined) return;
  const alive = references.filter((reference) => ownerExists(collector, object, reference));
  if (alive.length === references.length) return;
  if (alive.length === 0) store.remove(type, namespace, name, by);
  else store.change(type, namespace, name, by, (current) => withMeta(current, { ownerReferences: alive }));
}

function ownerExists({ store, types }: Collector, dependent: KubeObject, reference: OwnerReference): boolean {
  const type = types.byKind(reference.apiVersion, reference.kind);
  if (type === undefined) return false;
  const owner = store.get(type, type.namespaced ? dependent.metadata.namespace : undefined, reference.name);
  return owner?.metadata.uid === reference.uid;
}

function carryOut(collector: Collector, owner: Located): void {
  const current = collector.store.get(owner.type, owner.namespace, owner.name);
  if (current === undefined || current.metadata.uid !== owner.uid) return;
  const finalizers = current.metadata.finalizers ?? [];
  if (finalizers.includes('orphan')) orphan(collector, owner);
  else if (finalizers.includes('foregroundDeletion')) foreground(collector, owner);
}

function orphan(collector: Collector, owner: Located): void {
  for (const { type, namespace, name } of collector.dependents.of(owner.uid)) {
    collector.store.change(type, namespace, name, by, (current) => withoutOwner(current, owner.uid));
  }
  release(collector, owner, 'orphan');
}

/** Dependents that block go first; the last of them lets the owner go. */
function foreground(collector: Collector, owner: Located): void {
  const { store, dependents } = collector;
  const present = dependents.of(owner.uid).flatMap((located) => {
    const object = store.get(located.type, located.namespace, located.name);
    return object === undefined ? [] : [{ located, object }];
  });
  const blocking = present.some(({ object }) =>
    (object.metadata.ownerReferences ?? []).some(
      (reference) => reference.uid === owner.uid && reference.blockOwnerDeletion === true,
    ),
  );
  for (const { located, object } of present) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const nested = dependents.of(located.uid).length > 0;
    const extra = nested ? { finalizers: ['foregroundDeletion'] } : {};
    store.remove(located.type, located.namespace, located.name, by, extra);
  }
  if (!blocking) release(collector, owner, 'foregroundDeletion');
}

function release({ store }: Collector, { type, namespace, name }: Located, finalizer: string): void {
  store.change(type, namespace, name, by, (current) => {
    const { finalizers = [], ...metadata } = current.metadata;
    const left = finalizers.filter((held) => held !== finalizer);
    return { ...current, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
  });
}

function withoutOwner(object: KubeObject, uid: string): KubeObject {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const left = ownerReferences.filter((reference) => reference.uid !== uid);
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, ownerReferences: left } };
}

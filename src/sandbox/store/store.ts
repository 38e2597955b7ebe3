import type { SandboxTime } from '../time.ts';
import { type KubeObject, type ObjectMeta, type ResourceType, typeKey } from './objects.ts';

/** One committed change. `object` is as watchers see it: for DELETED the last state with the new resourceVersion. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly revision: number;
  /** Cluster time in milliseconds. */
  readonly at: number;
  /** Who did it: the API user, or the controller's name. */
  readonly by: string;
}

export class ConflictError extends Error {}
export class AlreadyExistsError extends Error {}
export class NotFoundError extends Error {}

/** Objects, revisions, history and finalizers: what etcd and the registry do. Everything is synchronous; subscribers are called in order after the commit. */
export interface Store {
  readonly revision: number;
  /** Changes with a revision above this one can still be watched from. */
  readonly compactedRevision: number;
  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Sorted by namespace and name, as etcd returns them. */
  list(type: ResourceType, namespace?: string): KubeObject[];
  /** Fills uid, creationTimestamp, generation and resourceVersion. */
  create(type: ResourceType, object: KubeObject, by: string): KubeObject;
  /**
   * Replaces the object. With a resourceVersion in `object.metadata` it is a compare-and-swap. Nothing changed: same object, no event.
   * Removing the last finalizer of an object that is being deleted removes it.
   */
  update(type: ResourceType, object: KubeObject, by: string): KubeObject;
  /** Read, change, write in one go; undefined when the object is not there. For controllers. */
  change(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    by: string,
    mutate: (object: KubeObject) => KubeObject,
  ): KubeObject | undefined;
  /** With finalizers: sets deletionTimestamp and keeps it. Without: removes it. Returns what is (or was) there. */
  remove(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    by: string,
  ): { object: KubeObject; gone: boolean };
  subscribe(listener: (change: Change) => void): () => void;
  /** Changes after `revision`, oldest first; undefined when they were compacted away. */
  since(revision: number): readonly Change[] | undefined;
  compact(revision: number): void;
}

export function createStore(time: SandboxTime, options: { keepHistory?: number } = {}): Store {
  const keepHistory = options.keepHistory ?? 20_000;
  const objects = new Map<string, Map<string, KubeObject>>();
  const sorted = new Map<string, string[]>();
  const listeners = new Set<(change: Change) => void>();
  let history: Change[] = [];
  let revision = 0;
  let compacted = 0;
  let uids = 0;

  const bucket = (type: ResourceType): Map<string, KubeObject> => {
    const key = typeKey(type);
    const found = objects.get(key);
    if (found) return found;
    const made = new Map<string, KubeObject>();
    objects.set(key, made);
    return made;
  };

  function commit(entry: Omit<Change, 'revision' | 'at'>, stored: KubeObject | undefined): void {
    const change: Change = { ...entry, revision, at: time.now() };
    const key = keyOf(entry.object.metadata);
    if (stored === undefined) bucket(entry.resource).delete(key);
    else bucket(entry.resource).set(key, stored);
    if (entry.type !== 'MODIFIED') sorted.delete(typeKey(entry.resource));
    history.push(change);
    if (history.length > keepHistory * 2) compact((history[history.length - keepHistory] as Change).revision);
    for (const listener of [...listeners]) listener(change);
  }

  function compact(to: number): void {
    compacted = Math.max(compacted, Math.min(to, revision));
    history = history.filter((change) => change.revision > compacted);
  }

  function create(type: ResourceType, object: KubeObject, by: string): KubeObject {
    if (bucket(type).has(keyOf(object.metadata))) throw new AlreadyExistsError(object.metadata.name);
    revision++;
    const made = withMeta(object, {
      uid: `00000000-0000-4000-8000-${(++uids).toString(16).padStart(12, '0')}`,
      creationTimestamp: timestamp(time.now()),
      ...(hasGeneration(type) ? { generation: 1 } : {}),
      resourceVersion: String(revision),
    });
    commit({ type: 'ADDED', resource: type, object: made, previous: undefined, by }, made);
    return made;
  }

  function update(type: ResourceType, object: KubeObject, by: string): KubeObject {
    const previous = bucket(type).get(keyOf(object.metadata));
    if (previous === undefined) throw new NotFoundError(object.metadata.name);
    const expected = object.metadata.resourceVersion;
    if (expected !== undefined && expected !== previous.metadata.resourceVersion)
      throw new ConflictError(object.metadata.name);
    const kept = withMeta(object, keptMeta(previous.metadata));
    if (sameJson(kept, previous)) return previous;
    revision++;
    const generation = nextGeneration(type, previous, kept);
    const next = withMeta(kept, {
      resourceVersion: String(revision),
      ...(generation === undefined ? {} : { generation }),
    });
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      commit({ type: 'DELETED', resource: type, object: next, previous, by }, undefined);
      return next;
    }
    commit({ type: 'MODIFIED', resource: type, object: next, previous, by }, next);
    return next;
  }

  function remove(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    by: string,
  ): { object: KubeObject; gone: boolean } {
    const previous = bucket(type).get(keyOf(namespace === undefined ? { name } : { name, namespace }));
    if (previous === undefined) throw new NotFoundError(name);
    const held = (previous.metadata.finalizers ?? []).length > 0;
    if (held && previous.metadata.deletionTimestamp !== undefined) return { object: previous, gone: false };
    revision++;
    const generation =
      type.custom && previous.metadata.generation !== undefined ? { generation: previous.metadata.generation + 1 } : {};
    if (!held) {
      const last = withMeta(previous, { resourceVersion: String(revision) });
      commit({ type: 'DELETED', resource: type, object: last, previous, by }, undefined);
      return { object: last, gone: true };
    }
    const dying = withMeta(previous, {
      deletionTimestamp: timestamp(time.now()),
      deletionGracePeriodSeconds: 0,
      resourceVersion: String(revision),
      ...generation,
    });
    commit({ type: 'MODIFIED', resource: type, object: dying, previous, by }, dying);
    return { object: dying, gone: false };
  }

  function list(type: ResourceType, namespace?: string): KubeObject[] {
    const all = bucket(type);
    const key = typeKey(type);
    let keys = sorted.get(key);
    if (keys === undefined) {
      keys = [...all.keys()].sort();
      sorted.set(key, keys);
    }
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    return keys.filter((name) => name.startsWith(prefix)).map((name) => all.get(name) as KubeObject);
  }

  const get: Store['get'] = (type, namespace, name) =>
    bucket(type).get(keyOf(namespace === undefined ? { name } : { name, namespace }));

  return {
    get revision() {
      return revision;
    },
    get compactedRevision() {
      return compacted;
    },
    get,
    list,
    create,
    update,
    remove,
    change(type, namespace, name, by, mutate) {
      const found = get(type, namespace, name);
      return found === undefined ? undefined : update(type, mutate(found), by);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since(from) {
      return from < compacted ? undefined : historyAfter(history, from);
    },
    compact,
  };
}

/** RFC 3339 with whole seconds, as Kubernetes writes metav1.Time. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function withMeta(object: KubeObject, meta: Partial<ObjectMeta>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...meta } };
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  if (keys.length !== Object.keys(right).filter((key) => right[key] !== undefined).length) return false;
  return keys.every((key) => sameJson(left[key], right[key]));
}

function keyOf(meta: { name: string; namespace?: string }): string {
  return `${meta.namespace ?? ''}/${meta.name}`;
}

/** What a writer cannot change. */
function keptMeta(previous: ObjectMeta): Partial<ObjectMeta> {
  return {
    ...(previous.uid === undefined ? {} : { uid: previous.uid }),
    ...(previous.creationTimestamp === undefined ? {} : { creationTimestamp: previous.creationTimestamp }),
    ...(previous.deletionTimestamp === undefined ? {} : { deletionTimestamp: previous.deletionTimestamp }),
    ...(previous.generation === undefined ? {} : { generation: previous.generation }),
    ...(previous.resourceVersion === undefined ? {} : { resourceVersion: previous.resourceVersion }),
  };
}

const withoutGeneration = new Set([
  '/configmaps',
  '/secrets',
  '/namespaces',
  '/serviceaccounts',
  '/events',
  '/services',
  '/nodes',
  '/endpoints',
]);

function hasGeneration(type: ResourceType): boolean {
  return (
    !withoutGeneration.has(typeKey(type)) &&
    type.group !== 'coordination.k8s.io' &&
    type.group !== 'rbac.authorization.k8s.io'
  );
}

/** Generation rises when anything but metadata changes; where status has its own endpoint, not when only status changes. */
function nextGeneration(type: ResourceType, previous: KubeObject, next: KubeObject): number | undefined {
  const current = previous.metadata.generation;
  if (current === undefined) return undefined;
  const body = ({ metadata: _metadata, status, ...rest }: KubeObject): unknown =>
    type.statusSubresource ? rest : { ...rest, status };
  return sameJson(body(previous), body(next)) ? current : current + 1;
}

function historyAfter(history: readonly Change[], from: number): readonly Change[] {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle] as Change).revision <= from) low = middle + 1;
    else high = middle;
  }
  return history.slice(low);
}

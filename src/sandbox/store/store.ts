import type { SandboxTime } from '../time.ts';
import { changeHistory } from './history.ts';
import { asBorn, asDying, hasGeneration, isHeld } from './lifecycle.ts';
import { objectIndex } from './object-index.ts';
import type { KubeObject, ObjectMeta, ResourceType } from './objects.ts';

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
  /**
   * With finalizers, its own or those in `extra`: sets deletionTimestamp and keeps it. Without: removes it.
   * Returns what is (or was) there.
   */
  remove(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    by: string,
    extra?: { finalizers?: readonly string[] },
  ): { object: KubeObject; gone: boolean };
  subscribe(listener: (change: Change) => void): () => void;
  /** Changes after `revision`, oldest first; undefined when they were compacted away. */
  since(revision: number): readonly Change[] | undefined;
  compact(revision: number): void;
}

export function createStore(time: SandboxTime, options: { keepHistory?: number } = {}): Store {
  const objects = objectIndex();
  const history = changeHistory(options.keepHistory ?? 20_000);
  const publish = inOrder<Change>();
  let revision = 0;
  let uids = 0;

  function commit(entry: Omit<Change, 'revision' | 'at'>, stored: KubeObject | undefined): void {
    const change: Change = { ...entry, revision, at: time.now() };
    const key = keyOf(entry.object.metadata);
    if (stored === undefined) objects.delete(entry.resource, key);
    else objects.set(entry.resource, key, stored);
    history.add(change);
    publish.send(change);
  }

  function create(type: ResourceType, object: KubeObject, by: string): KubeObject {
    if (objects.get(type, keyOf(object.metadata)) !== undefined) throw new AlreadyExistsError(object.metadata.name);
    revision++;
    const made = withMeta(asBorn(type, object), {
      uid: `00000000-0000-4000-8000-${(++uids).toString(16).padStart(12, '0')}`,
      creationTimestamp: timestamp(time.now()),
      ...(hasGeneration(type) ? { generation: 1 } : {}),
      resourceVersion: String(revision),
    });
    commit({ type: 'ADDED', resource: type, object: made, previous: undefined, by }, made);
    return made;
  }

  function update(type: ResourceType, object: KubeObject, by: string): KubeObject {
    const previous = objects.get(type, keyOf(object.metadata));
    if (previous === undefined) throw new NotFoundError(object.metadata.name);
    const expected = object.metadata.resourceVersion;
    if (expected !== undefined && expected !== previous.metadata.resourceVersion)
      throw new ConflictError(object.metadata.name);
    const kept = withMeta(object, keptMeta(previous.metadata));
    if (sameJson(kept, previous)) return previous;
    revision++;
    const resourceVersion = String(revision);
    if (kept.metadata.deletionTimestamp !== undefined && !isHeld(type, kept)) {
      // Watchers see the object as it was, the writer what it wrote, with the version it had.
      const last = withMeta(previous, { resourceVersion });
      commit({ type: 'DELETED', resource: type, object: last, previous, by }, undefined);
      return kept;
    }
    const next = withMeta(kept, { resourceVersion, ...nextGeneration(type, previous, kept) });
    commit({ type: 'MODIFIED', resource: type, object: next, previous, by }, next);
    return next;
  }

  function remove(...[type, namespace, name, by, extra]: Parameters<Store['remove']>): {
    object: KubeObject;
    gone: boolean;
  } {
    const previous = objects.get(type, keyOf(namespace === undefined ? { name } : { name, namespace }));
    if (previous === undefined) throw new NotFoundError(name);
    const finalizers = [...new Set([...(previous.metadata.finalizers ?? []), ...(extra?.finalizers ?? [])])];
    const held = finalizers.length > 0 || isHeld(type, previous);
    if (held && previous.metadata.deletionTimestamp !== undefined) return { object: previous, gone: false };
    revision++;
    const resourceVersion = String(revision);
    if (!held) {
      const last = withMeta(previous, { resourceVersion });
      commit({ type: 'DELETED', resource: type, object: last, previous, by }, undefined);
      return { object: last, gone: true };
    }
    const meta = { deletionTimestamp: timestamp(time.now()), resourceVersion };
    const dying = asDying(type, previous, finalizers.length > 0 ? { ...meta, finalizers } : meta);
    commit({ type: 'MODIFIED', resource: type, object: dying, previous, by }, dying);
    return { object: dying, gone: false };
  }

  const get: Store['get'] = (type, namespace, name) =>
    objects.get(type, keyOf(namespace === undefined ? { name } : { name, namespace }));

  return {
    get revision() {
      return revision;
    },
    get compactedRevision() {
      return history.compactedRevision;
    },
    get,
    list: (type, namespace) => objects.list(type, namespace),
    create,
    update,
    remove,
    change(type, namespace, name, by, mutate) {
      const found = get(type, namespace, name);
      return found === undefined ? undefined : update(type, mutate(found), by);
    },
    subscribe: publish.subscribe,
    since: history.since,
    compact: history.compact,
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

/** Generation rises when anything but metadata changes; where status has its own endpoint, not when only status changes. */
function nextGeneration(type: ResourceType, previous: KubeObject, next: KubeObject): { generation?: number } {
  const current = previous.metadata.generation;
  if (current === undefined) return {};
  const body = ({ metadata: _metadata, status, ...rest }: KubeObject): unknown =>
    type.statusSubresource ? rest : { ...rest, status };
  return { generation: sameJson(body(previous), body(next)) ? current : current + 1 };
}

/** Hands values to subscribers one after the other, also when a subscriber causes the next one. */
function inOrder<T>(): { send(value: T): void; subscribe(listener: (value: T) => void): () => void } {
  const listeners = new Set<(value: T) => void>();
  const waiting: T[] = [];
  let sending = false;
  return {
    send(value) {
      waiting.push(value);
      if (sending) return;
      sending = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          for (const listener of [...listeners]) listener(next);
        }
      } finally {
        sending = false;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

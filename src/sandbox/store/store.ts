import type { SandboxTime } from '../time.ts';
import { type Channel, inOrder } from './channel.ts';
import { changeHistory, type History } from './history.ts';
import { asBorn, asDying, hasGeneration, isHeld } from './lifecycle.ts';
import { type ObjectIndex, objectIndex } from './object-index.ts';
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
  const state: State = {
    time,
    objects: objectIndex(),
    history: changeHistory<Change>(options.keepHistory ?? 20_000),
    changes: inOrder<Change>(),
    revision: 0,
    uids: 0,
  };
  const get: Store['get'] = (type, namespace, name) => state.objects.get(type, keyAt(namespace, name));
  return {
    get revision() {
      return state.revision;
    },
    get compactedRevision() {
      return state.history.compactedRevision;
    },
    get,
    list: (type, namespace) => state.objects.list(type, namespace),
    create: (type, object, by) => create(state, type, object, by),
    update: (type, object, by) => update(state, type, object, by),
    remove: (...[type, namespace, name, by, extra]) => remove(state, type, keyAt(namespace, name), { by, ...extra }),
    change(...[type, namespace, name, by, mutate]) {
      const found = get(type, namespace, name);
      return found === undefined ? undefined : update(state, type, mutate(found), by);
    },
    subscribe: state.changes.subscribe,
    since: state.history.since,
    compact: state.history.compact,
  };
}

/** RFC 3339 with whole seconds, as Kubernetes writes metav1.Time. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastTimestamp = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  }
  return lastTimestamp;
}

/** Most writes fall into the second of the write before. */
let lastSecond = Number.NaN;
let lastTimestamp = '';

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

interface State {
  readonly time: SandboxTime;
  readonly objects: ObjectIndex;
  readonly history: History<Change>;
  readonly changes: Channel<Change>;
  revision: number;
  uids: number;
}

function create(state: State, type: ResourceType, object: KubeObject, by: string): KubeObject {
  const { time, objects } = state;
  if (objects.get(type, keyOf(object.metadata)) !== undefined) throw new AlreadyExistsError(object.metadata.name);
  const made = withMeta(asBorn(type, object), {
    uid: `00000000-0000-4000-8000-${(++state.uids).toString(16).padStart(12, '0')}`,
    creationTimestamp: timestamp(time.now()),
    ...(hasGeneration(type) ? { generation: 1 } : {}),
    resourceVersion: nextVersion(state),
  });
  commit(state, { type: 'ADDED', resource: type, object: made, previous: undefined, by });
  return made;
}

function update(state: State, type: ResourceType, object: KubeObject, by: string): KubeObject {
  const { name, resourceVersion: expected } = object.metadata;
  const previous = state.objects.get(type, keyOf(object.metadata));
  if (previous === undefined) throw new NotFoundError(name);
  if (expected !== undefined && expected !== previous.metadata.resourceVersion) throw new ConflictError(name);
  const kept = withMeta(object, keptMeta(previous.metadata));
  if (sameJson(kept, previous)) return previous;
  const resourceVersion = nextVersion(state);
  if (kept.metadata.deletionTimestamp !== undefined && !isHeld(type, kept)) {
    // Watchers see the object as it was, the writer what it wrote, with the version it had.
    const last = withMeta(previous, { resourceVersion });
    commit(state, { type: 'DELETED', resource: type, object: last, previous, by });
    return kept;
  }
  const next = withMeta(kept, { resourceVersion, ...nextGeneration(type, previous, kept) });
  commit(state, { type: 'MODIFIED', resource: type, object: next, previous, by });
  return next;
}

function remove(
  state: State,
  type: ResourceType,
  key: string,
  { by, finalizers: added = [] }: { by: string; finalizers?: readonly string[] },
): { object: KubeObject; gone: boolean } {
  const previous = state.objects.get(type, key);
  if (previous === undefined) throw new NotFoundError(key);
  const finalizers = [...new Set([...(previous.metadata.finalizers ?? []), ...added])];
  const held = finalizers.length > 0 || isHeld(type, previous);
  if (held && previous.metadata.deletionTimestamp !== undefined) return { object: previous, gone: false };
  const resourceVersion = nextVersion(state);
  if (!held) {
    const last = withMeta(previous, { resourceVersion });
    commit(state, { type: 'DELETED', resource: type, object: last, previous, by });
    return { object: last, gone: true };
  }
  const meta = { deletionTimestamp: timestamp(state.time.now()), resourceVersion };
  const dying = asDying(type, previous, finalizers.length > 0 ? { ...meta, finalizers } : meta);
  commit(state, { type: 'MODIFIED', resource: type, object: dying, previous, by });
  return { object: dying, gone: false };
}

function nextVersion(state: State): string {
  return String(++state.revision);
}

function commit(state: State, entry: Omit<Change, 'revision' | 'at'>): void {
  const change: Change = { ...entry, revision: state.revision, at: state.time.now() };
  const key = keyOf(entry.object.metadata);
  if (entry.type === 'DELETED') state.objects.delete(entry.resource, key);
  else state.objects.set(entry.resource, key, entry.object);
  state.history.add(change);
  state.changes.send(change);
}

const keyAt = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

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

import { describe, expect, it } from 'vitest';
import { virtualTime } from '../time.ts';
import type { KubeObject } from './objects.ts';
import { createResourceTypes } from './resource-types.ts';
import { AlreadyExistsError, type Change, ConflictError, createStore, NotFoundError, withMeta } from './store.ts';

const types = createResourceTypes();
const configMaps = types.byPlural('', 'configmaps')!;
const namespaces = types.byPlural('', 'namespaces')!;
const deployments = types.byPlural('apps', 'deployments')!;

describe('the store', () => {
  it('gives every change a higher revision and tells subscribers in that order', () => {
    const { store, changes } = watched();
    const made = store.create(configMaps, configMap('a'), 'me');
    store.update(configMaps, { ...made, data: { x: '1' } }, 'me');
    store.remove(configMaps, 'default', 'a', 'me');
    expect(changes.map(({ type, revision }) => [type, revision])).toEqual([
      ['ADDED', 1],
      ['MODIFIED', 2],
      ['DELETED', 3],
    ]);
  });

  it('tells every subscriber in order even when one of them writes at once', () => {
    const store = createStore(virtualTime());
    store.subscribe(({ type }) => {
      if (type === 'ADDED')
        store.change(configMaps, 'default', 'a', 'other', (it) => ({ ...it, data: { seen: 'yes' } }));
    });
    const seen: string[] = [];
    store.subscribe(({ type }) => seen.push(type));
    store.create(configMaps, configMap('a'), 'me');
    expect(seen).toEqual(['ADDED', 'MODIFIED']);
  });

  it('refuses a write that was made for an older version', () => {
    const { store } = watched();
    const made = store.create(configMaps, configMap('a'), 'me');
    store.update(configMaps, { ...made, data: { x: '1' } }, 'me');
    expect(() => store.update(configMaps, { ...made, data: { x: '2' } }, 'me')).toThrow(ConflictError);
    expect(() => store.create(configMaps, configMap('a'), 'me')).toThrow(AlreadyExistsError);
    expect(() => store.remove(configMaps, 'default', 'b', 'me')).toThrow(NotFoundError);
  });

  it('makes no event and no revision of a write that changes nothing', () => {
    const { store, changes } = watched();
    const made = store.create(configMaps, configMap('a'), 'me');
    expect(store.update(configMaps, structuredClone(made), 'me')).toBe(made);
    expect(changes).toHaveLength(1);
  });

  it('keeps an object with finalizers until the last one is removed, and shows watchers its last full state', () => {
    const { store, changes } = watched();
    store.create(configMaps, configMap('a', { finalizers: ['x'] }), 'me');
    const { object: dying, gone } = store.remove(configMaps, 'default', 'a', 'me');
    expect(gone).toBe(false);
    expect(dying.metadata.deletionTimestamp).toBeDefined();
    const left = store.update(configMaps, withMeta(dying, { finalizers: [] }), 'me');
    expect(left.metadata.resourceVersion).toBe(dying.metadata.resourceVersion);
    expect(changes.at(-1)).toMatchObject({ type: 'DELETED', object: { metadata: { finalizers: ['x'] } } });
    expect(store.get(configMaps, 'default', 'a')).toBeUndefined();
  });

  it('raises generation when the spec changes and not when the status does', () => {
    const { store } = watched();
    const made = store.create(deployments, { ...configMap('d'), kind: 'Deployment', spec: { replicas: 1 } }, 'me');
    const ready = store.update(deployments, { ...made, status: { readyReplicas: 1 } }, 'me');
    expect(ready.metadata.generation).toBe(1);
    expect(store.update(deployments, { ...ready, spec: { replicas: 2 } }, 'me').metadata.generation).toBe(2);
  });

  it('holds a deleted namespace until its finalizer in spec is taken away', () => {
    const { store } = watched();
    const made = store.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }, 'me');
    expect(made).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    expect(store.remove(namespaces, undefined, 'n', 'me').object).toMatchObject({ status: { phase: 'Terminating' } });
    store.change(namespaces, undefined, 'n', 'me', (it) => ({ ...it, spec: { finalizers: [] } }));
    expect(store.get(namespaces, undefined, 'n')).toBeUndefined();
  });

  it('lists by namespace and name, one namespace alone or all', () => {
    const { store } = watched();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'z'],
      ['a', 'y'],
      ['a-b', 'w'],
    ] as const) {
      store.create(configMaps, withMeta(configMap(name), { namespace }), 'me');
    }
    store.remove(configMaps, 'a', 'z', 'me');
    const names = (objects: KubeObject[]) => objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names(store.list(configMaps))).toEqual(['a-b/w', 'a/y', 'b/x']);
    expect(names(store.list(configMaps, 'a'))).toEqual(['a/y']);
  });

  it('forgets history only when told to or when there is too much of it', () => {
    const store = createStore(virtualTime(), { keepHistory: 5 });
    for (let index = 0; index < 10; index++) store.create(configMaps, configMap(`c${index}`), 'me');
    expect(store.since(0)).toHaveLength(10);
    store.compact(4);
    expect(store.since(3)).toBeUndefined();
    expect(store.since(4)).toHaveLength(6);
    for (let index = 10; index < 20; index++) store.create(configMaps, configMap(`c${index}`), 'me');
    expect(store.compactedRevision).toBeGreaterThan(4);
    expect(store.since(store.revision)).toEqual([]);
  });
});

function watched() {
  const store = createStore(virtualTime());
  const changes: Change[] = [];
  store.subscribe((change) => changes.push(change));
  return { store, changes };
}

function configMap(name: string, meta: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', ...meta } };
}

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../store/objects.ts';
import { createResourceTypes } from '../store/resource-types.ts';
import { createStore } from '../store/store.ts';
import { virtualTime } from '../time.ts';
import { startGarbageCollector } from './garbage-collector.ts';

describe('the garbage collector', () => {
  it('removes what a removed owner leaves behind, through all generations', async () => {
    const { store, configMaps, make, settle } = cluster();
    const owner = make('owner');
    const child = make('child', owner);
    make('grandchild', child);
    store.remove(configMaps, 'default', 'owner', 'me');
    expect(store.list(configMaps)).toHaveLength(2);
    await settle();
    expect(store.list(configMaps)).toEqual([]);
  });

  it('keeps an object that still has another owner, without the reference to the one that is gone', async () => {
    const { store, configMaps, make, settle } = cluster();
    const first = make('first');
    const second = make('second');
    make('child', first, second);
    store.remove(configMaps, 'default', 'first', 'me');
    await settle();
    const child = store.get(configMaps, 'default', 'child');
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['second']);
  });

  it('does not mistake a new object of the same name for the owner', async () => {
    const { store, configMaps, make, settle } = cluster();
    make('child', make('owner'));
    store.remove(configMaps, 'default', 'owner', 'me');
    make('owner');
    await settle();
    expect(store.list(configMaps).map(({ metadata }) => metadata.name)).toEqual(['owner']);
  });

  it('lets the owner go last when it is deleted in the foreground', async () => {
    const { store, configMaps, make, settle, gone } = cluster();
    const owner = make('owner');
    const child = make('child', owner);
    make('grandchild', child);
    store.remove(configMaps, 'default', 'owner', 'me', { finalizers: ['foregroundDeletion'] });
    await settle();
    expect(gone).toEqual(['grandchild', 'child', 'owner']);
  });

  it('waits in the foreground for a dependent that a finalizer holds', async () => {
    const { store, configMaps, make, settle, gone } = cluster();
    const owner = make('owner');
    make('child', owner);
    store.change(configMaps, 'default', 'child', 'me', (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers: ['hold'] },
    }));
    store.remove(configMaps, 'default', 'owner', 'me', { finalizers: ['foregroundDeletion'] });
    await settle();
    expect(gone).toEqual([]);
    store.change(configMaps, 'default', 'child', 'me', (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers: [] },
    }));
    await settle();
    expect(gone).toEqual(['child', 'owner']);
  });

  it('leaves orphans alone, without their owner', async () => {
    const { store, configMaps, make, settle } = cluster();
    make('child', make('owner'));
    store.remove(configMaps, 'default', 'owner', 'me', { finalizers: ['orphan'] });
    await settle();
    expect(store.list(configMaps)).toMatchObject([{ metadata: { name: 'child' } }]);
    expect(store.get(configMaps, 'default', 'child')?.metadata.ownerReferences).toBeUndefined();
  });

  it('does nothing any more once it is stopped', async () => {
    const { store, configMaps, make, settle, stop } = cluster();
    make('child', make('owner'));
    stop();
    store.remove(configMaps, 'default', 'owner', 'me');
    await settle();
    expect(store.list(configMaps)).toHaveLength(1);
  });
});

function cluster() {
  const time = virtualTime();
  const store = createStore(time);
  const types = createResourceTypes();
  const configMaps = types.byPlural('', 'configmaps')!;
  const stop = startGarbageCollector({ store, types, time });
  const gone: string[] = [];
  store.subscribe(({ type, object }) => {
    if (type === 'DELETED') gone.push(object.metadata.name);
  });
  const make = (name: string, ...owners: KubeObject[]): KubeObject =>
    store.create(
      configMaps,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name,
          namespace: 'default',
          ...(owners.length === 0 ? {} : { ownerReferences: owners.map(reference) }),
        },
      },
      'me',
    );
  return { store, configMaps, make, gone, stop, settle: () => time.run(time.sleep(1_000)) };
}

function reference({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
}

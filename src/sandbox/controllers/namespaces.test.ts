import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../store/objects.ts';
import { createResourceTypes } from '../store/resource-types.ts';
import { createStore } from '../store/store.ts';
import { virtualTime } from '../time.ts';
import { startNamespaces } from './namespaces.ts';

describe('the namespace controller', () => {
  it('empties a deleted namespace and lets it go', async () => {
    const { store, namespaces, configMaps, wait } = cluster();
    store.create(configMaps, configMap('plain'), 'me');
    store.remove(namespaces, undefined, 'n', 'me');
    await wait(1);
    expect(store.get(namespaces, undefined, 'n')).toMatchObject({ status: { phase: 'Terminating' } });
    await wait(5);
    expect(store.list(configMaps)).toEqual([]);
    expect(store.get(namespaces, undefined, 'n')).toBeUndefined();
  });

  it('says what holds a namespace, and goes on when that is gone', async () => {
    const { store, namespaces, configMaps, wait } = cluster();
    store.create(configMaps, configMap('held', ['example.com/hold']), 'me');
    store.remove(namespaces, undefined, 'n', 'me');
    await wait(6);
    const messages = conditions(store.get(namespaces, undefined, 'n'));
    expect(messages).toContain('Some resources are remaining: configmaps. has 1 resource instances');
    expect(messages.at(-1)).toContain('example.com/hold in 1 resource instances');
    store.change(configMaps, 'n', 'held', 'me', (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }));
    await wait(15);
    expect(store.get(namespaces, undefined, 'n')).toBeUndefined();
  });

  it('leaves other namespaces alone', async () => {
    const { store, namespaces, configMaps, wait } = cluster();
    store.create(configMaps, configMap('plain'), 'me');
    store.create(namespaces, namespace('other'), 'me');
    store.remove(namespaces, undefined, 'other', 'me');
    await wait(10);
    expect(store.list(namespaces).map(({ metadata }) => metadata.name)).toEqual(['n']);
    expect(store.list(configMaps)).toHaveLength(1);
  });
});

function cluster() {
  const time = virtualTime();
  const store = createStore(time);
  const types = createResourceTypes();
  const namespaces = types.byPlural('', 'namespaces')!;
  const configMaps = types.byPlural('', 'configmaps')!;
  store.create(namespaces, namespace('n'), 'me');
  startNamespaces({ store, types, time });
  return { store, namespaces, configMaps, wait: (seconds: number) => time.run(time.sleep(seconds * 1000)) };
}

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function configMap(name: string, finalizers: readonly string[] = []): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n', finalizers } };
}

function conditions(object: KubeObject | undefined): string[] {
  const status = object?.['status'] as { conditions?: { message: string }[] } | undefined;
  return (status?.conditions ?? []).map(({ message }) => message);
}

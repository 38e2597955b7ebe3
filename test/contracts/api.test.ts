import { expect } from 'vitest';
import { refusal } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, definition } from './objects.ts';

interface Live {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

describeContract('a write', (behaves) => {
  behaves(
    'by merge patch sets and takes away fields, and with a resourceVersion only if nobody was faster',
    async (cluster) => {
      const { client } = cluster;
      const path = configMapPath(cluster, 'one');
      const first = await create(cluster, 'one');
      const second = await client.mergePatch<Live>(path, { data: { value: null, other: '2' } });
      expect(second.data).toEqual({ other: '2' });
      const late = { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { other: '3' } };
      expect(await refusal(client.mergePatch(path, late))).toMatchObject({ status: 409, reason: 'Conflict' });
    },
  );

  behaves('that changes nothing leaves the resourceVersion alone', async (cluster) => {
    const first = await create(cluster, 'one');
    const again = await cluster.client.mergePatch<Live>(configMapPath(cluster, 'one'), { data: { value: '1' } });
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  behaves('by JSON patch happens as a whole or not at all', async (cluster) => {
    const { client } = cluster;
    const path = configMapPath(cluster, 'one');
    await create(cluster, 'one');
    const wrong = [
      { op: 'replace', path: '/data/value', value: '2' },
      { op: 'test', path: '/data/value', value: 'not so' },
    ];
    expect(await refusal(client.jsonPatch(path, wrong))).toMatchObject({ status: 422, reason: 'Invalid' });
    expect((await client.get<Live>(path))?.data).toEqual({ value: '1' });
    const right = await client.jsonPatch<Live>(path, [{ op: 'replace', path: '/data/value', value: '2' }]);
    expect(right.data).toEqual({ value: '2' });
  });

  behaves('by apply owns its fields: another manager meets a conflict unless it forces', async (cluster) => {
    const { client } = cluster;
    const path = configMapPath(cluster, 'one');
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { value: '1' } };
    await client.apply(path, wanted);
    const other = `${path}?fieldManager=other`;
    await client.mergePatch(other, { data: { value: '2' } });
    expect(await refusal(client.apply(path, wanted))).toMatchObject({ status: 409, reason: 'Conflict' });
    expect((await client.apply<Live>(path, wanted, { force: true })).data).toEqual({ value: '1' });
    const { data: _dropped, ...without } = wanted;
    expect((await client.apply<Live>(path, without)).data ?? {}).toEqual({});
  });

  behaves('by replace needs the newest resourceVersion', async (cluster) => {
    const { client } = cluster;
    const path = configMapPath(cluster, 'one');
    const first = await create(cluster, 'one');
    await client.mergePatch(path, { data: { value: '2' } });
    expect(await refusal(client.replace(path, { ...first, data: { value: '3' } }))).toMatchObject({ status: 409 });
  });

  behaves('of a new object refuses a name that is taken, and one that is no name', async (cluster) => {
    await create(cluster, 'one');
    expect(await refusal(create(cluster, 'one'))).toMatchObject({ status: 409, reason: 'AlreadyExists' });
    expect(await refusal(create(cluster, 'Not_a_name'))).toMatchObject({ status: 422, reason: 'Invalid' });
  });

  behaves('to a status subresource changes the status only, and raises no generation', async (cluster) => {
    const { client, namespace } = cluster;
    const group = `${cluster.named('group')}.example.com`;
    await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(group, 'Thing'));
    const things = `/apis/${group}/v1/namespaces/${namespace}/things`;
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'it' }, spec: { size: 1 }, status: {} };
    await cluster.eventually('the kind is served', async () => {
      return client.create(things, thing).then(
        () => true,
        () => false,
      );
    });
    const said = { spec: { size: 7 }, status: { phase: 'Ready' } };
    const after = await client.mergePatch<Live & { spec: object }>(`${things}/it/status`, said);
    expect(after).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' }, metadata: { generation: 1 } });
    const resized = await client.mergePatch<Live>(`${things}/it`, { spec: { size: 2 }, status: { phase: 'Lost' } });
    expect(resized).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' }, metadata: { generation: 2 } });
  });
});

describeContract('a deletion', (behaves) => {
  behaves('waits for the finalizers; nobody can add one while it does', async (cluster) => {
    const { client } = cluster;
    const path = configMapPath(cluster, 'one');
    await create(cluster, 'one', { finalizers: ['example.com/a', 'example.com/b'] });
    await client.delete(path);
    const dying = await client.get<Live>(path);
    expect(dying?.metadata.deletionTimestamp).toBeDefined();
    const more = { metadata: { finalizers: ['example.com/a', 'example.com/b', 'example.com/c'] } };
    expect(await refusal(client.mergePatch(path, more))).toMatchObject({ status: 422, reason: 'Invalid' });
    await client.mergePatch(path, { metadata: { finalizers: ['example.com/b'] } });
    expect(await client.get(path)).toBeDefined();
    await client.mergePatch(path, { metadata: { finalizers: null } });
    expect(await client.get(path)).toBeUndefined();
  });

  behaves('with a uid or resourceVersion as precondition misses any other object', async (cluster) => {
    const { client } = cluster;
    const path = configMapPath(cluster, 'one');
    const { uid, resourceVersion } = (await create(cluster, 'one')).metadata;
    const wrong = { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } };
    expect(await refusal(client.delete(path, wrong))).toMatchObject({ status: 409, reason: 'Conflict' });
    await client.mergePatch(path, { data: { value: '2' } });
    expect(await refusal(client.delete(path, { preconditions: { uid, resourceVersion } }))).toMatchObject({
      status: 409,
    });
    await client.delete(path, { preconditions: { uid } });
    expect(await client.get(path)).toBeUndefined();
    expect(await client.delete(path)).toBeUndefined();
  });

  behaves('of an owner takes its dependents along in the background, or leaves them as orphans', async (cluster) => {
    const { client } = cluster;
    for (const [owner, dependent, policy] of [
      ['a', 'of-a', 'Background'],
      ['b', 'of-b', 'Orphan'],
    ] as const) {
      const { uid } = (await create(cluster, owner)).metadata;
      await create(cluster, dependent, {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }],
      });
      await client.delete(configMapPath(cluster, owner), { propagationPolicy: policy });
    }
    await cluster.eventually('the dependent of a is gone', async () => {
      return (await client.get(configMapPath(cluster, 'of-a'))) === undefined;
    });
    await cluster.eventually('b is gone', async () => (await client.get(configMapPath(cluster, 'b'))) === undefined);
    const orphan = await client.get<Live & { metadata: { ownerReferences?: unknown[] } }>(
      configMapPath(cluster, 'of-b'),
    );
    expect(orphan?.metadata.ownerReferences ?? []).toEqual([]);
  });

  behaves('of a namespace empties it first, and while it does nothing new may come in', async (cluster) => {
    const { client } = cluster;
    const namespace = cluster.named('going');
    const path = `/api/v1/namespaces/${namespace}`;
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const stuck = configMap('stuck', { finalizers: ['example.com/slow'] });
    await client.create(configMapPath({ namespace }), stuck);
    await client.create(configMapPath({ namespace }), configMap('one'));
    await client.delete(path);
    await cluster.eventually('the other object is gone', async () => {
      return (await client.get(configMapPath({ namespace }, 'one'))) === undefined;
    });
    expect(await client.get(path)).toMatchObject({ status: { phase: 'Terminating' } });
    const refused = await refusal(client.create(configMapPath({ namespace }), configMap('late')));
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('being terminated') });
    await client.mergePatch(configMapPath({ namespace }, 'stuck'), { metadata: { finalizers: null } });
    await cluster.eventually('the namespace is gone', async () => (await client.get(path)) === undefined, 90_000);
  });

  behaves('of a definition takes all objects of its kind along', async (cluster) => {
    const { client, namespace } = cluster;
    const group = `${cluster.named('group')}.example.com`;
    const crd = definition(group, 'Thing');
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.create(crds, crd);
    const things = `/apis/${group}/v1/namespaces/${namespace}/things`;
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'it' } };
    await cluster.eventually('the kind is served', async () => {
      return client.create(things, thing).then(
        () => true,
        () => false,
      );
    });
    await client.delete(`${crds}/${crd.metadata.name}`);
    await cluster.eventually('the definition is gone', async () => {
      return (await client.get(`${crds}/${crd.metadata.name}`)) === undefined;
    });
    expect((await client.raw('GET', `${things}/it`)).status).toBe(404);
  });
});

function create(cluster: ContractCluster, name: string, metadata: object = {}): Promise<Live> {
  const object = configMap(name);
  return cluster.client.create(configMapPath(cluster), { ...object, metadata: { ...object.metadata, ...metadata } });
}

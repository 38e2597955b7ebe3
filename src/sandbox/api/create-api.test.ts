import { describe, expect, it } from 'vitest';
import { application, applications, configMaps, testCluster } from './test-cluster.fixture.ts';

describe('the API server in process', () => {
  it('creates, reads, patches and deletes an Application', async () => {
    const { send } = testCluster();
    const made = await send('POST', applications, application('web'));
    expect(made.status).toBe(201);
    const patched = await send('PATCH', `${applications}/web`, { status: { health: { status: 'Healthy' } } });
    expect(patched).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    expect((await send('GET', `${applications}/web`)).body).toEqual(patched.body);
    expect((await send('DELETE', `${applications}/web`)).body).toMatchObject({ status: 'Success' });
    expect((await send('GET', `${applications}/web`)).status).toBe(404);
  });

  it('refuses a merge patch that carries an old resourceVersion', async () => {
    const { send } = testCluster();
    const made = await send('POST', applications, application('web'));
    await send('PATCH', `${applications}/web`, { metadata: { labels: { a: 'b' } } });
    const stale = { metadata: { resourceVersion: made.body.metadata.resourceVersion }, spec: { project: 'x' } };
    expect((await send('PATCH', `${applications}/web`, stale)).status).toBe(409);
  });

  it('records who asked for what, and whether it was a write', async () => {
    const { send, requests } = testCluster();
    await send('GET', applications);
    await send('POST', applications, application('web'));
    await send('POST', `${applications}?dryRun=All`, application('other'));
    await send('DELETE', `${applications}/missing`);
    expect(requests.map(({ method, status, write, user }) => ({ method, status, write, user }))).toEqual([
      { method: 'GET', status: 200, write: false, user: 'kubernetes-admin' },
      { method: 'POST', status: 201, write: true, user: 'kubernetes-admin' },
      { method: 'POST', status: 201, write: false, user: 'kubernetes-admin' },
      { method: 'DELETE', status: 404, write: true, user: 'kubernetes-admin' },
    ]);
    expect(requests[1]).toMatchObject({
      resource: { plural: 'applications', namespace: 'argocd' },
      body: { kind: 'Application' },
    });
  });

  it('removes a field that nobody applies any more, and keeps one that somebody else still owns', async () => {
    const { send } = testCluster();
    const apply = (manager: string, data: object) =>
      send(
        'PATCH',
        `${configMaps}/c?fieldManager=${manager}`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data },
        {
          'content-type': 'application/apply-patch+yaml',
        },
      );
    await apply('one', { mine: '1', shared: '1' });
    await apply('two', { shared: '1' });
    expect((await apply('one', {})).body.data).toEqual({ shared: '1' });
    expect((await apply('two', {})).body.data).toBeUndefined();
  });

  it('treats an object that was made outside the API as owned by others', async () => {
    const { send, store, types } = testCluster();
    const type = types.byPlural('', 'configmaps')!;
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'argocd' },
      data: { a: '1' },
    };
    store.create(type, object, 'seed');
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '2' } };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const refused = await send('PATCH', `${configMaps}/c?fieldManager=me`, wanted, headers);
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    const forced = await send('PATCH', `${configMaps}/c?fieldManager=me&force=true`, wanted, headers);
    expect(forced).toMatchObject({ status: 200, body: { data: { a: '2' } } });
  });

  it('answers through a Service with what the world behind it says', async () => {
    const { send, store, types } = testCluster({
      serviceProxy: (namespace, service, port, path) =>
        port === '8200' ? { status: 200, body: `${namespace}/${service}${path}` } : undefined,
    });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'vault', namespace: 'argocd' } };
    store.create(types.byPlural('', 'services')!, service, 'seed');
    const proxy = (name: string) => send('GET', `/api/v1/namespaces/argocd/services/${name}/proxy/v1/sys/health?x=1`);
    expect(await proxy('http:vault:8200')).toMatchObject({ status: 200, body: 'argocd/vault/v1/sys/health?x=1' });
    expect((await proxy('vault:1')).status).toBe(503);
    expect((await proxy('nobody:1')).status).toBe(404);
  });
});

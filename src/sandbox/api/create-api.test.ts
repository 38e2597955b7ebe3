import { describe, expect, it } from 'vitest';
import { createResourceTypes } from '../store/resource-types.ts';
import { createStore } from '../store/store.ts';
import { virtualTime } from '../time.ts';
import { applicationDefinition, appProjectDefinition } from './argo-definitions.ts';
import { type ApiOptions, createApi } from './create-api.ts';
import { installCrd } from './custom-resources.ts';
import type { Handler } from './handler.ts';

const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';

describe('the API server in process', () => {
  it('creates, reads, patches and deletes an Application', async () => {
    const { send } = cluster();
    const made = await send('POST', applications, application('web'));
    expect(made.status).toBe(201);
    const patched = await send('PATCH', `${applications}/web`, { status: { health: { status: 'Healthy' } } });
    expect(patched).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    expect((await send('GET', `${applications}/web`)).body).toEqual(patched.body);
    expect((await send('DELETE', `${applications}/web`)).body).toMatchObject({ status: 'Success' });
    expect((await send('GET', `${applications}/web`)).status).toBe(404);
  });

  it('refuses a merge patch that carries an old resourceVersion', async () => {
    const { send } = cluster();
    const made = await send('POST', applications, application('web'));
    await send('PATCH', `${applications}/web`, { metadata: { labels: { a: 'b' } } });
    const stale = { metadata: { resourceVersion: made.body.metadata.resourceVersion }, spec: { project: 'x' } };
    expect((await send('PATCH', `${applications}/web`, stale)).status).toBe(409);
  });

  it('shows a watcher every change after its list, in order', async () => {
    const { send, handle } = cluster();
    const { body: list } = await send('GET', applications);
    const watch = await handle({
      method: 'GET',
      path: `${applications}?watch=1&resourceVersion=${list.metadata.resourceVersion}`,
      headers: {},
    });
    await send('POST', applications, application('web'));
    await send('PATCH', `${applications}/web`, { spec: { project: 'other' } });
    await send('DELETE', `${applications}/web`);
    expect(await events(watch.body, 3)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('records who asked for what, and whether it was a write', async () => {
    const { send, requests } = cluster();
    await send('GET', applications);
    await send('POST', applications, application('web'));
    await send('POST', `${applications}?dryRun=All`, application('other'));
    expect(requests.map(({ method, status, write, user }) => ({ method, status, write, user }))).toEqual([
      { method: 'GET', status: 200, write: false, user: 'kubernetes-admin' },
      { method: 'POST', status: 201, write: true, user: 'kubernetes-admin' },
      { method: 'POST', status: 201, write: false, user: 'kubernetes-admin' },
    ]);
  });
});

function cluster(options: Partial<ApiOptions> = {}) {
  const time = virtualTime();
  const store = createStore(time);
  const types = createResourceTypes();
  installCrd(store, types, applicationDefinition);
  installCrd(store, types, appProjectDefinition);
  const namespaces = types.byPlural('', 'namespaces')!;
  store.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } }, 'test');
  const { handle, requests } = createApi({ store, types, time, ...options });
  return { store, types, time, handle, requests, send: sender(handle) };
}

function sender(handle: Handler) {
  return async (method: string, path: string, body?: unknown) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await handle({
      method,
      path,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    let text = '';
    for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
    return { status: answer.status, body: JSON.parse(text) };
  };
}

async function events(body: AsyncIterable<Uint8Array>, count: number): Promise<string[]> {
  const types: string[] = [];
  for await (const chunk of body) {
    types.push(JSON.parse(Buffer.from(chunk).toString()).type);
    if (types.length === count) break;
  }
  return types;
}

function application(name: string) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/x', path: name },
      destination: { namespace: name },
    },
  };
}

import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { virtualTime } from '../../sandbox/time.ts';
import { createClient } from '../kubernetes/client.ts';
import { createDiscovery } from '../kubernetes/discovery.ts';
import type { ApiRequest, ApiResponse } from '../kubernetes/transport.ts';
import { createObjects } from './objects.ts';

const never = new AbortController().signal;
const configMap = { group: '', kind: 'ConfigMap', namespace: 'argocd', name: 'mine' };

describe('live objects', () => {
  it('are created, read, changed and deleted by kind and name', async () => {
    const { objects, run } = cluster();
    expect(await run(objects.read(configMap, never))).toBeUndefined();
    await run(objects.create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } }, never));
    await run(objects.mergePatch(configMap, { data: { a: 'b' } }, never));
    expect(await run(objects.read(configMap, never))).toMatchObject({ data: { a: 'b' } });
    await run(objects.delete(configMap, never));
    await run(objects.delete(configMap, never));
    expect(await run(objects.read(configMap, never))).toBeUndefined();
  });

  it('of a list say what they are, though the API server says it only of the list', async () => {
    const { objects, run } = cluster();
    const found = await run(objects.list({ group: '', kind: 'ConfigMap' }, 'argocd', never));
    expect(found.length).toBeGreaterThan(0);
    for (const object of found) expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    const kinds = ((await run(objects.contents(['argocd'], never))).get('argocd') ?? []).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['ConfigMap', 'AppProject']));
    expect(kinds).not.toContain(undefined);
  });

  it('of a kind that nobody serves are none, and that is no error', async () => {
    const { objects, run } = cluster();
    const unicorn = { group: 'example.com', kind: 'Unicorn', namespace: 'argocd', name: 'x' };
    expect(await run(objects.read(unicorn, never))).toBeUndefined();
    expect(await run(objects.list(unicorn, undefined, never))).toEqual([]);
    await run(objects.mergePatch(unicorn, {}, never));
    await run(objects.delete(unicorn, never));
  });
});

describe('a probe', () => {
  const url = 'http://vault.security.svc:8200/v1/sys/health';
  const status = (code: number, message: string) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', message, code });

  it.each([
    ['the service’s own status', 473, '{"sealed":true}', { status: 473 }],
    [
      'nobody there yet',
      503,
      status(503, 'no endpoints available for service "vault"'),
      { error: 'nothing answers there yet' },
    ],
    ['the service itself saying 503', 503, 'sealed', { status: 503 }],
    ['the service itself saying 403', 403, 'permission denied', { status: 403 }],
    ['the API server stumbling', 500, status(500, 'oops'), { error: 'the API server answered 500' }],
  ])('tells %s', async (_what, code, body, expected) => {
    const { objects, run } = answering(code, body);
    expect(await run(objects.probe(url, never))).toEqual(expected);
  });

  it('says at once which right is missing, instead of waiting for it', async () => {
    const message = 'services "vault" is forbidden: User "x" cannot get resource "services/proxy"';
    const { objects, run } = answering(403, status(403, message));
    await expect(run(objects.probe(url, never))).rejects.toMatchObject({
      name: 'OperatorError',
      message: `could not probe ${url}: ${message}`,
      hint: expect.stringContaining('docs/permissions.md'),
    });
  });

  it('of a service that takes the connection and says nothing is no error, but an answer to wait for', async () => {
    const time = virtualTime();
    const { objects, run } = over(() => new Promise(() => undefined), time);
    const began = time.now();
    expect(await run(objects.probe(url, never))).toEqual({ error: 'no answer within 5 s' });
    expect(time.now() - began).toBeLessThan(10_000);
  });

  it('goes to Services of the cluster only', async () => {
    const { objects, run } = answering(200, 'secret');
    expect(await run(objects.probe('http://169.254.169.254/latest', never))).toMatchObject({
      error: expect.stringContaining('is not of the form'),
    });
  });
});

function cluster() {
  const time = virtualTime();
  return over(createSandbox({ time }).handle, time);
}

function answering(status: number, body: string) {
  const answer = async (): Promise<ApiResponse> => ({
    status,
    headers: {},
    body: (async function* () {
      yield Buffer.from(body);
    })(),
  });
  return over(answer, virtualTime());
}

function over(transport: (request: ApiRequest) => Promise<ApiResponse>, time: ReturnType<typeof virtualTime>) {
  const client = createClient(transport, { clock: time });
  return {
    objects: createObjects(client, createDiscovery(client)),
    run: <T>(work: Promise<T>): Promise<T> => time.run(work),
  };
}

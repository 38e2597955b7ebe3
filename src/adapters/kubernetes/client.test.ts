import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { ApiError, UnreachableError } from './errors.ts';
import { clientOf } from './testing/client-of.ts';
import { collectionPath } from './testing/collection-answers.ts';
import { type MisbehavingServer, misbehavingServer } from './testing/misbehaving-server.ts';
import { type SteppedClock, steppedClock } from './testing/stepped-clock.ts';

let server: MisbehavingServer;
let clock: SteppedClock;
let client: ReturnType<typeof clientOf>;
let onSkip: (ms: number) => Promise<void>;

beforeEach(async () => {
  server = await misbehavingServer();
  onSkip = async () => undefined;
  clock = steppedClock((ms) => onSkip(ms));
  client = clientOf(server, clock);
});

afterEach(async () => {
  client.close();
  await server.down();
});

describe('reading', () => {
  it('gives undefined for what is not there', async () => {
    expect(await client.get(`${collectionPath}/vault`)).toBeUndefined();
  });

  it.each([429, 500, 502, 503, 504])('tries again after a %d', async (status) => {
    server.collection.put('vault');
    server.fault('get', { type: 'status', status }, 2);
    expect(await client.get(`${collectionPath}/vault`)).toMatchObject({ metadata: { name: 'vault' } });
    expect(server.requests).toHaveLength(3);
  });

  it.each([400, 401, 403, 409, 410, 422])('never tries again after a %d', async (status) => {
    server.fault('get', { type: 'status', status }, 5);
    await expect(client.get(`${collectionPath}/vault`)).rejects.toMatchObject({
      name: 'ApiError',
      status,
      reason: 'Fault',
      message: 'Fault, says the server',
      method: 'GET',
      path: `${collectionPath}/vault`,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('stays away for as long as the server asks', async () => {
    server.fault('get', { type: 'status', status: 429, retryAfter: '7' });
    await client.get(`${collectionPath}/vault`);
    expect(clock.skipped).toEqual([7000]);
  });

  it.each(['reset', 'truncated'] as const)('tries again after a %s answer', async (type) => {
    server.collection.put('vault');
    server.fault('get', { type });
    expect(await client.get(`${collectionPath}/vault`)).toMatchObject({ value: 'x' });
    expect(server.requests).toHaveLength(2);
  });

  it('waits longer each time while the connection is refused, and goes on when the server is back', async () => {
    server.collection.put('vault');
    await server.down();
    onSkip = async () => {
      if (clock.skipped.length === 4) await server.up();
    };
    expect(await client.get(`${collectionPath}/vault`)).toMatchObject({ value: 'x' });
    expect(clock.skipped.map((ms) => Math.round(ms / 100))).toEqual([2, 4, 8, 16]);
  });

  it('does not believe a refusal by a server that was away a moment ago: it answers before it knows anybody’s rights', async () => {
    server.collection.put('vault');
    server.fault('get', { type: 'reset' });
    server.fault('get', { type: 'status', status: 403 }, 3);
    expect(await client.get(`${collectionPath}/vault`)).toMatchObject({ value: 'x' });
    expect(server.requests).toHaveLength(5);
  });

  it('does not believe it of a service behind it, either', async () => {
    server.collection.put('vault');
    server.fault('get', { type: 'reset' });
    server.fault('get', { type: 'status', status: 403 }, 2);
    expect(await client.raw('GET', `${collectionPath}/vault`)).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(4);
  });

  it('takes such a refusal of a watch for trouble that passes, so that the watch is opened again', async () => {
    server.fault('get', { type: 'reset' });
    await client.get(`${collectionPath}/vault`);
    server.fault('watch', { type: 'status', status: 403 });
    const { signal } = new AbortController();
    await expect(client.stream(`${collectionPath}?watch=1`, signal)).rejects.toBeInstanceOf(UnreachableError);
  });

  it('believes it when it stays', async () => {
    server.fault('get', { type: 'reset' });
    server.fault('get', { type: 'status', status: 403 }, 99);
    await expect(client.get(`${collectionPath}/vault`)).rejects.toMatchObject({ name: 'ApiError', status: 403 });
    const waited = clock.skipped.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(10_000);
    expect(waited).toBeLessThan(30_000);
  });

  it('gives up when the time for retries is over, and keeps the cause', async () => {
    await server.down();
    const error = await client.get(`${collectionPath}/vault`).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' }, mayHaveHappened: false });
    const waited = clock.skipped.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(45_000);
    expect(waited).toBeLessThanOrEqual(60_000);
  });

  it('does not wait for a server that asks for more time than there is', async () => {
    server.fault('get', { type: 'status', status: 503, retryAfter: '3600' });
    await expect(client.get(`${collectionPath}/vault`)).rejects.toMatchObject({ cause: { status: 503 } });
    expect(clock.skipped).toEqual([]);
  });

  it('lets go of a request that is never answered, and asks again', async () => {
    server.collection.put('vault');
    server.fault('get', { type: 'stall' });
    const answer = client.get(`${collectionPath}/vault`);
    await server.until(() => server.requests.length === 1);
    clock.advance(30_000);
    expect(await answer).toMatchObject({ value: 'x' });
  });

  it("ends with the caller's reason when the caller loses patience", async () => {
    server.fault('get', { type: 'stall' });
    const caller = new AbortController();
    const answer = client.get(`${collectionPath}/vault`, caller.signal);
    await server.until(() => server.requests.length === 1);
    caller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('understands a body that arrives byte by byte, cut inside letters', async () => {
    server.collection.put('vault', 'größer – 🚢');
    server.fault('get', { type: 'slow' });
    expect(await client.get(`${collectionPath}/vault`)).toMatchObject({ value: 'größer – 🚢' });
  });

  it('names the request when the refusal is no Status', async () => {
    server.fault('get', { type: 'status', status: 400, body: '400 bad\n' });
    await expect(client.get('/nosuch')).rejects.toThrow('GET /nosuch answered 400: 400 bad');
  });

  it('takes any status of a probe as the answer', async () => {
    server.fault('get', { type: 'status', status: 503, body: 'sealed' });
    expect(await client.raw('GET', '/api/v1/namespaces/v/services/v:8200/proxy/sys/health')).toEqual({
      status: 503,
      body: 'sealed',
    });
  });
});

describe('listing', () => {
  it('reads all pages', async () => {
    for (let index = 0; index < 1203; index++) server.collection.put(`app-${index}`);
    const { items, resourceVersion } = await client.list(collectionPath);
    expect(items).toHaveLength(1203);
    expect(resourceVersion).toBe(String(server.collection.version));
    expect(server.requests).toHaveLength(3);
    expect(server.requests[0]).toContain('limit=500');
  });

  it('starts over once when the server has forgotten the first page', async () => {
    for (const name of ['a', 'b', 'c']) server.collection.put(name);
    server.fault('list', { type: 'slow' });
    const listed = client.list(collectionPath, { limit: 2 });
    await server.until(() => server.requests.length === 1);
    server.collection.compact();
    expect((await listed).items).toHaveLength(3);
    expect(server.requests.filter((request) => !request.includes('continue'))).toHaveLength(2);
  });

  it('does not start over for ever', async () => {
    server.fault('list', { type: 'status', status: 410 }, 9);
    await expect(client.list(collectionPath)).rejects.toMatchObject({ status: 410 });
    expect(server.requests).toHaveLength(2);
  });

  it.each(['null', '{}', '[]', '{"metadata":{"resourceVersion":"1"},"items":{}}'])(
    'does not take %s for an empty list',
    async (body) => {
      server.fault('list', { type: 'status', status: 200, body });
      await expect(client.list(collectionPath)).rejects.toThrow('is not a list');
    },
  );

  it('encodes selectors', async () => {
    await client.list(collectionPath, { labelSelector: 'a in (b,c)', fieldSelector: 'metadata.name=x' });
    const query = new URL(server.requests[0]!.slice(4), 'http://server').searchParams;
    expect(query.get('labelSelector')).toBe('a in (b,c)');
    expect(query.get('fieldSelector')).toBe('metadata.name=x');
  });
});

describe('writing', () => {
  it('says on every write who wrote', async () => {
    server.collection.put('vault');
    const path = `${collectionPath}/vault`;
    await client.create(collectionPath, { metadata: { name: 'new' } });
    await client.mergePatch(path, { value: 'a' });
    await client.jsonPatch(path, []);
    await client.apply(path, { value: 'b' }, { force: true });
    await client.replace(path, { value: 'c' });
    expect(server.requests.every((request) => request.includes('fieldManager=tiphys'))).toBe(true);
    expect(server.requests[3]).toContain('force=true');
    expect(server.headers.map((one) => one['content-type'])).toEqual([
      'application/json',
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/apply-patch+yaml',
      'application/json',
    ]);
  });

  it.each([429, 503])('sends a write again that was turned away with %d', async (status) => {
    server.fault('write', { type: 'status', status });
    await client.create(collectionPath, { metadata: { generateName: 'run-' } });
    expect(server.collection.items.size).toBe(1);
  });

  it('never sends a write again that the server may have carried out', async () => {
    server.collection.put('vault');
    server.fault('write', { type: 'reset-after-processing' });
    const error = await client.mergePatch(`${collectionPath}/vault`, { value: 'y' }).catch((one: unknown) => one);
    expect(error).toMatchObject({ name: 'UnreachableError', mayHaveHappened: true });
    expect(server.requests).toHaveLength(1);
  });

  it('never creates a second object when the name is the server’s choice', async () => {
    server.fault('write', { type: 'reset-after-processing' });
    await expect(client.create(collectionPath, { metadata: { generateName: 'run-' } })).rejects.toThrow('no answer');
    expect(server.collection.items.size).toBe(1);
  });

  it('shows AlreadyExists to the creator whose first attempt got through unnoticed', async () => {
    server.fault('write', { type: 'reset-after-processing' });
    await expect(client.create(collectionPath, { metadata: { name: 'lease' } })).rejects.toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
    });
  });

  it('repeats a compare-and-swap after a reset: it succeeds, or the caller sees the conflict', async () => {
    const { metadata } = server.collection.put('vault');
    const swap = { metadata: { resourceVersion: metadata.resourceVersion }, value: 'y' };
    server.fault('write', { type: 'reset' });
    expect(await client.mergePatch(`${collectionPath}/vault`, swap)).toMatchObject({ value: 'y' });
    server.fault('write', { type: 'reset-after-processing' });
    const again = {
      ...swap,
      metadata: { resourceVersion: server.collection.items.get('vault')!.metadata.resourceVersion },
    };
    await expect(client.mergePatch(`${collectionPath}/vault`, again)).rejects.toMatchObject({ status: 409 });
  });

  it.each([500, 502, 504])('shows a %d to the writer at once', async (status) => {
    server.collection.put('vault');
    server.fault('write', { type: 'status', status });
    await expect(client.mergePatch(`${collectionPath}/vault`, { value: 'y' })).rejects.toBeInstanceOf(ApiError);
    expect(server.requests).toHaveLength(1);
  });

  it('deletes with preconditions, and what is gone is no error', async () => {
    const { metadata } = server.collection.put('vault');
    const stale = { preconditions: { resourceVersion: '1' }, propagationPolicy: 'Foreground' } as const;
    await expect(client.delete(`${collectionPath}/vault`, stale)).rejects.toMatchObject({ reason: 'Conflict' });
    const fresh = { preconditions: { resourceVersion: metadata.resourceVersion } };
    expect(await client.delete(`${collectionPath}/vault`, fresh)).toBeDefined();
    expect(await client.delete(`${collectionPath}/vault`)).toBeUndefined();
  });
});

it('uses one connection for requests that follow one another', async () => {
  const sockets = new Set<unknown>();
  for (let index = 0; index < 5; index++) {
    await client.get(`${collectionPath}/vault`);
    for (const socket of server.sockets) sockets.add(socket);
  }
  expect(sockets.size).toBe(1);
});

it('fails at once and as it is on a mistake of our own', async () => {
  const broken = createClient(async () => Promise.reject(new TypeError('not a transport')), { clock });
  await expect(broken.get('/version')).rejects.toThrow(TypeError);
  expect(clock.skipped).toEqual([]);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimeoutError } from './errors.ts';
import type { ReflectorOptions } from './follow.ts';
import type { Change } from './object-cache.ts';
import { createReflector, type Reflector } from './reflector.ts';
import { clientOf } from './testing/client-of.ts';
import { contentsOf, type Item } from './testing/collection.ts';
import { collectionPath, failure } from './testing/collection-answers.ts';
import { type MisbehavingServer, misbehavingServer } from './testing/misbehaving-server.ts';
import { type SteppedClock, steppedClock } from './testing/stepped-clock.ts';

let server: MisbehavingServer;
let clock: SteppedClock;
let client: ReturnType<typeof clientOf>;
let life: AbortController;
let troubles: string[];

beforeEach(async () => {
  server = await misbehavingServer();
  clock = steppedClock();
  client = clientOf(server, clock);
  life = new AbortController();
  troubles = [];
});

afterEach(async () => {
  life.abort(new Error('the test is over'));
  client.close();
  await server.down();
});

function start(options: Partial<ReflectorOptions> = {}): Reflector<Item> {
  const onTrouble = (sentence: string): void => void troubles.push(sentence);
  return createReflector<Item>(client, { path: collectionPath, clock, onTrouble, ...options }, life.signal);
}

/** Resolves when the copy is what the server holds. */
async function caughtUp(reflector: Reflector<Item>): Promise<void> {
  await reflector.waitFor(() => (same(reflector) ? true : undefined));
}

function same(reflector: Reflector<Item>): boolean {
  return JSON.stringify(contentsOf(reflector.all())) === JSON.stringify(server.collection.contents());
}

const count = (part: string): number => server.requests.filter((request) => request.includes(part)).length;
const watching = (): Promise<void> => server.until(() => server.watches.size > 0);

/** The server's end of a watch opens before ours: only an event proves that both are open. */
async function delivering(reflector: Reflector<Item>): Promise<void> {
  await watching();
  server.collection.put('sign-of-life');
  await caughtUp(reflector);
}

describe('following a collection', () => {
  it('lists in pages, then watches from there with bookmarks and a time-out', async () => {
    for (let index = 0; index < 600; index++) server.collection.put(`app-${index}`);
    const reflector = start({ random: () => 0.5 });
    await reflector.ready();
    expect(reflector.all()).toHaveLength(600);
    await watching();
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]).toMatch(/watch=1&allowWatchBookmarks=true&resourceVersion=700&timeoutSeconds=270$/);
  });

  it('tells of each change with the object, and counts them', async () => {
    server.collection.put('a', 'old');
    const reflector = start();
    const changes: Change<Item>[] = [];
    await reflector.ready();
    const before = reflector.version;
    const unsubscribe = reflector.subscribe((change) => changes.push(change));
    server.collection.put('a', 'new');
    server.collection.put('b');
    server.collection.remove('a');
    await caughtUp(reflector);
    expect(changes.map(({ type, key, object }) => [type, key, object?.value])).toEqual([
      ['set', 'argocd/a', 'new'],
      ['set', 'argocd/b', 'x'],
      ['deleted', 'argocd/a', 'new'],
    ]);
    expect(reflector.version).toBe(before + 3);
    expect(reflector.get('argocd/b')?.value).toBe('x');
    unsubscribe();
    server.collection.put('c');
    await caughtUp(reflector);
    expect(changes).toHaveLength(3);
  });

  it('understands events cut anywhere, also inside letters', async () => {
    const reflector = start();
    await reflector.ready();
    await watching();
    const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: item('a', 101, 'größer – 🚢') })}\n`);
    const [watch] = server.watches;
    for (const byte of bytes) await new Promise((sent) => watch?.write(Buffer.of(byte), sent));
    expect(await reflector.waitFor(() => reflector.get('argocd/a')?.value)).toBe('größer – 🚢');
  });

  it('reconnects at once when a watch ends that lived', async () => {
    const reflector = start();
    await reflector.ready();
    await delivering(reflector);
    clock.advance(20_000);
    for (const watch of server.watches) watch.end();
    await server.until(() => count('watch=1') === 2);
    expect(clock.skipped).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it('resumes from a bookmark', async () => {
    const bookmark = JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '4711' } } });
    server.fault('watch', { type: 'lines', lines: [bookmark, ''], after: 'end' });
    start();
    await server.until(() => count('resourceVersion=4711') === 1);
    expect(count('limit=500')).toBe(1);
  });

  it('never shows an object older than one it has shown', async () => {
    server.collection.put('a', 'newest');
    const late = [
      { type: 'MODIFIED', object: item('a', 99, 'stale') },
      { type: 'ADDED', object: item('b', 98, 'ghost') },
    ];
    server.fault('watch', { type: 'lines', lines: [...late.map((event) => JSON.stringify(event)), ''], after: 'end' });
    const reflector = start();
    const seen: string[] = [];
    reflector.subscribe((change) => seen.push(change.object?.value ?? change.type));
    await watching();
    expect(seen).toEqual(['newest', 'resync']);
  });

  it('does not believe a list that is older than what it has seen, unless the server insists', async () => {
    server.collection.put('a', 'newest');
    const reflector = start();
    await reflector.ready();
    await watching();
    const older = { metadata: { resourceVersion: '50' }, items: [item('ghost', 49, 'ghost')] };
    server.fault('watch', { type: 'gone-event' });
    server.fault('list', { type: 'status', status: 200, body: JSON.stringify(older) }, 3);
    for (const watch of server.watches) watch.destroy();
    await server.until(() => count('limit=500') === 5);
    await caughtUp(reflector);
    expect(troubles.filter((sentence) => sentence.includes('older'))).toHaveLength(3);
    expect(reflector.get('argocd/ghost')).toBeUndefined();
  });
});

describe('trouble', () => {
  it('lists again when the history is gone, as an event, and notices what was deleted meanwhile', async () => {
    server.collection.put('a');
    server.collection.put('b');
    const reflector = start();
    await reflector.ready();
    await watching();
    const [watch] = server.watches;
    watch?.destroy();
    server.collection.remove('a');
    server.collection.compact();
    server.collection.put('c');
    const changes: string[] = [];
    reflector.subscribe(({ type, key }) => changes.push(`${type} ${key}`));
    await caughtUp(reflector);
    expect(changes).toEqual(['deleted argocd/a', 'set argocd/c', 'resync ']);
  });

  it('lists again when the history is gone, as a status', async () => {
    server.fault('watch', { type: 'status', status: 410 });
    start();
    await watching();
    expect(count('limit=500')).toBe(2);
  });

  it.each([
    ['reset', { type: 'reset' }],
    ['429', { type: 'status', status: 429, retryAfter: '9' }],
    ['500', { type: 'status', status: 500 }],
    ['404', { type: 'status', status: 404 }],
    ['malformed line', { type: 'lines', lines: ['{"type":"ADD', ''], after: 'stall' }],
    ['line that is no event', { type: 'lines', lines: ['{"type":"ADDED","object":{}}', ''], after: 'stall' }],
    ['error event', { type: 'lines', lines: [errorEvent(500), ''], after: 'stall' }],
    ['line cut off by a reset', { type: 'lines', lines: ['{"type":"ADDED"'], after: 'reset' }],
  ] as const)('resumes after a watch that met a %s', async (_, fault) => {
    server.fault('watch', fault);
    const reflector = start();
    await watching();
    server.collection.put('later');
    await caughtUp(reflector);
    expect(count('limit=500')).toBe(1);
    expect(troubles).toHaveLength(1);
    if (fault.type === 'status' && fault.status === 429) expect(clock.skipped).toEqual([9000]);
  });

  it.each(['reset', 'truncated', 'stall'] as const)('gets its first list in spite of a %s', async (type) => {
    server.collection.put('a');
    server.fault('list', { type });
    const reflector = start();
    await server.until(() => count('limit=500') === 1);
    if (type === 'stall') clock.advance(30_000);
    await reflector.ready();
    expect(same(reflector)).toBe(true);
  });

  it('survives a server that is away for a while', async () => {
    server.collection.put('a');
    clock = steppedClock(async () => {
      if (clock.skipped.length === 6) await server.up();
    });
    const reflector = start({ clock });
    await reflector.ready();
    await watching();
    await server.down();
    server.collection.put('b');
    await caughtUp(reflector);
    expect(troubles).toHaveLength(6);
    expect(troubles.at(-1)).toContain('ECONNREFUSED');
  });

  it('notices a watch that has fallen silent', async () => {
    const first = JSON.stringify({ type: 'ADDED', object: item('a', 101, 'the last sign of life') });
    server.fault('watch', { type: 'lines', lines: [first, ''], after: 'stall' });
    const reflector = start({ random: () => 0 });
    await reflector.waitFor(() => reflector.get('argocd/a'));
    clock.advance(269_000);
    expect(count('watch=1')).toBe(1);
    clock.advance(1_000);
    await watching();
    expect(troubles).toEqual([expect.stringContaining('silent for 270 s')]);
  });

  it('notices silence sooner when asked to, but not while bytes arrive', async () => {
    const reflector = start({ idleTimeoutMs: 60_000 });
    await delivering(reflector);
    clock.advance(35_000);
    server.collection.put('a');
    await caughtUp(reflector);
    clock.advance(35_000);
    server.collection.put('b');
    await caughtUp(reflector);
    expect(count('watch=1')).toBe(1);
    clock.advance(60_000);
    await server.until(() => count('watch=1') === 2);
  });

  it('does not run hot against a server that closes every watch at once', async () => {
    server.fault('watch', { type: 'end' }, 10_000);
    start({ random: () => 0.99 });
    const began = clock.now();
    await server.until(() => count('watch=1') >= 40);
    // 0.2 s, 0.4 s … 10 s: forty attempts take minutes, not seconds.
    expect(clock.now() - began).toBeGreaterThan(300_000);
  });

  it('does not run hot against a server that only sends a bookmark, or an error, and closes', async () => {
    const bookmark = JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '4711' } } });
    server.fault('watch', { type: 'lines', lines: [bookmark, ''], after: 'end' }, 20);
    server.fault('watch', { type: 'gone-event' }, 20);
    start({ random: () => 0.99 });
    const began = clock.now();
    await server.until(() => count('watch=1') >= 40);
    expect(clock.now() - began).toBeGreaterThan(300_000);
  });

  it('is patient again after a watch that delivered', async () => {
    server.fault('watch', { type: 'end' }, 5);
    const reflector = start({ random: () => 0.99 });
    await watching();
    expect(clock.skipped.map((ms) => Math.round(ms / 100))).toEqual([2, 4, 8, 16, 32]);
    server.collection.put('a');
    await caughtUp(reflector);
    for (const watch of server.watches) watch.destroy();
    await server.until(() => count('watch=1') === 7);
    expect(Math.round((clock.skipped.at(-1) ?? 0) / 100)).toBe(2);
  });
});

describe('the end', () => {
  it.each([401, 403])('tells everybody who waits when the server answers %d', async (status) => {
    server.fault('list', { type: 'status', status });
    const reflector = start();
    await expect(reflector.ready()).rejects.toMatchObject({ name: 'ApiError', status });
    await expect(reflector.waitFor(() => true)).rejects.toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it('tells those who wait when reading is forbidden later', async () => {
    const reflector = start();
    await watching();
    const waiting = reflector.waitFor(() => undefined);
    server.fault('watch', { type: 'status', status: 403 });
    for (const watch of server.watches) watch.destroy();
    await expect(waiting).rejects.toMatchObject({ status: 403 });
  });

  it("ends with the signal's reason, and lets go of the watch", async () => {
    const reflector = start();
    await watching();
    const waiting = reflector.waitFor(() => undefined);
    life.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await server.until(() => server.watches.size === 0);
  });

  it('can be stopped', async () => {
    const reflector = start();
    await watching();
    const waiting = reflector.waitFor(() => undefined);
    reflector.stop();
    await expect(waiting).rejects.toThrow('was stopped');
    await server.until(() => server.watches.size === 0);
  });
});

describe('waiting', () => {
  it('asks nobody before the first list, so that absence means something', async () => {
    server.collection.put('a');
    server.fault('list', { type: 'stall' });
    const reflector = start();
    const absent = reflector.waitFor(() => (reflector.get('argocd/a') === undefined ? 'absent' : 'present'));
    await server.until(() => server.requests.length === 1);
    clock.advance(30_000);
    expect(await absent).toBe('present');
  });

  it('says what it was waiting for when time runs out', async () => {
    const reflector = start();
    await reflector.ready();
    const options = { deadline: clock.now() + 60_000, waitingFor: 'vault to become Healthy' };
    const waiting = reflector.waitFor(() => undefined, options);
    clock.advance(60_000);
    await expect(waiting).rejects.toThrow(TimeoutError);
    await expect(waiting).rejects.toThrow('timed out waiting for vault to become Healthy');
  });

  it('ends one wait without the others', async () => {
    const reflector = start();
    const caller = new AbortController();
    const first = reflector.waitFor(() => undefined, { signal: caller.signal });
    const broken = reflector.waitFor(() => {
      throw new Error('a mistake in the predicate');
    });
    const second = reflector.waitFor(() => reflector.get('argocd/a')?.value);
    caller.abort(new Error('no longer interested'));
    await expect(first).rejects.toThrow('no longer interested');
    await expect(broken).rejects.toThrow('a mistake in the predicate');
    server.collection.put('a');
    expect(await second).toBe('x');
  });
});

function item(name: string, version: number, value: string): Item {
  return { metadata: { name, namespace: 'argocd', resourceVersion: String(version) }, value };
}

function errorEvent(code: number): string {
  return JSON.stringify({ type: 'ERROR', object: failure(code, 'Fault') });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimeoutError } from './errors.ts';
import type { Change } from './object-cache.ts';
import type { Item } from './testing/collection.ts';
import { eventLine, item, type Reflecting, reflecting } from './testing/reflecting.ts';

let world: Reflecting;

beforeEach(async () => {
  world = await reflecting();
});

afterEach(async () => {
  await world.close();
});

describe('following a collection', () => {
  it('lists in pages, then watches from there with bookmarks and a time-out', async () => {
    for (let index = 0; index < 600; index++) world.server.collection.put(`app-${index}`);
    const reflector = world.start({ random: () => 0.5 });
    await reflector.ready();
    expect(reflector.all()).toHaveLength(600);
    await world.watching();
    expect(world.server.requests).toHaveLength(3);
    expect(world.server.requests[2]).toMatch(
      /watch=1&allowWatchBookmarks=true&resourceVersion=700&timeoutSeconds=270$/,
    );
  });

  it('tells of each change with the object, and counts them', async () => {
    world.server.collection.put('a', 'old');
    const reflector = world.start();
    const changes: Change<Item>[] = [];
    await reflector.ready();
    const before = reflector.version;
    const unsubscribe = reflector.subscribe((change) => changes.push(change));
    world.server.collection.put('a', 'new');
    world.server.collection.put('b');
    world.server.collection.remove('a');
    await world.caughtUp(reflector);
    expect(changes.map(({ type, key, object }) => [type, key, object?.value])).toEqual([
      ['set', 'argocd/a', 'new'],
      ['set', 'argocd/b', 'x'],
      ['deleted', 'argocd/a', 'new'],
    ]);
    expect(reflector.version).toBe(before + 3);
    expect(reflector.get('argocd/b')?.value).toBe('x');
    unsubscribe();
    world.server.collection.put('c');
    await world.caughtUp(reflector);
    expect(changes).toHaveLength(3);
  });

  it('understands events cut anywhere, also inside letters', async () => {
    const reflector = world.start();
    await reflector.ready();
    await world.watching();
    const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: item('a', 101, 'größer – 🚢') })}\n`);
    const [watch] = world.server.watches;
    for (const byte of bytes) await new Promise((sent) => watch?.write(Buffer.of(byte), sent));
    expect(await reflector.waitFor(() => reflector.get('argocd/a')?.value)).toBe('größer – 🚢');
  });

  it('reconnects at once when a watch ends that lived', async () => {
    const reflector = world.start();
    await reflector.ready();
    await world.delivering(reflector);
    world.clock.advance(20_000);
    for (const watch of world.server.watches) watch.end();
    await world.server.until(() => world.count('watch=1') === 2);
    expect(world.clock.skipped).toEqual([]);
    expect(world.troubles).toEqual([]);
  });

  it('resumes from a bookmark', async () => {
    const bookmark = eventLine('BOOKMARK', { metadata: { resourceVersion: '4711' } });
    world.server.fault('watch', { type: 'lines', lines: [bookmark, ''], after: 'end' });
    world.start();
    await world.server.until(() => world.count('resourceVersion=4711') === 1);
    expect(world.count('limit=500')).toBe(1);
  });

  it('never shows an object older than one it has shown', async () => {
    world.server.collection.put('a', 'newest');
    const late = [
      { type: 'MODIFIED', object: item('a', 99, 'stale') },
      { type: 'ADDED', object: item('b', 98, 'ghost') },
    ];
    world.server.fault('watch', {
      type: 'lines',
      lines: [...late.map((event) => JSON.stringify(event)), ''],
      after: 'end',
    });
    const reflector = world.start();
    const seen: string[] = [];
    reflector.subscribe((change) => seen.push(change.object?.value ?? change.type));
    await world.watching();
    expect(seen).toEqual(['newest', 'resync']);
  });

  it('does not believe a list that is older than what it has seen, unless the server insists', async () => {
    world.server.collection.put('a', 'newest');
    const reflector = world.start();
    await reflector.ready();
    await world.watching();
    const older = { metadata: { resourceVersion: '50' }, items: [item('ghost', 49, 'ghost')] };
    world.server.fault('watch', { type: 'gone-event' });
    world.server.fault('list', { type: 'status', status: 200, body: JSON.stringify(older) }, 3);
    for (const watch of world.server.watches) watch.destroy();
    await world.server.until(() => world.count('limit=500') === 5);
    await world.caughtUp(reflector);
    expect(world.troubles.filter((sentence) => sentence.includes('older'))).toHaveLength(3);
    expect(reflector.get('argocd/ghost')).toBeUndefined();
  });
});

describe('the end', () => {
  it.each([401, 403])('tells everybody who waits when the server answers %d', async (status) => {
    world.server.fault('list', { type: 'status', status });
    const reflector = world.start();
    await expect(reflector.ready()).rejects.toMatchObject({ name: 'ApiError', status });
    await expect(reflector.waitFor(() => true)).rejects.toMatchObject({ status });
    expect(world.server.requests).toHaveLength(1);
  });

  it('tells those who wait when reading is forbidden later', async () => {
    const reflector = world.start();
    await world.watching();
    const waiting = reflector.waitFor(() => undefined);
    world.server.fault('watch', { type: 'status', status: 403 });
    for (const watch of world.server.watches) watch.destroy();
    await expect(waiting).rejects.toMatchObject({ status: 403 });
  });

  it("ends with the signal's reason, and lets go of the watch", async () => {
    const reflector = world.start();
    await world.watching();
    const waiting = reflector.waitFor(() => undefined);
    world.life.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await world.server.until(() => world.server.watches.size === 0);
  });

  it('can be stopped', async () => {
    const reflector = world.start();
    await world.watching();
    const waiting = reflector.waitFor(() => undefined);
    reflector.stop();
    await expect(waiting).rejects.toThrow('was stopped');
    await world.server.until(() => world.server.watches.size === 0);
  });
});

describe('waiting', () => {
  it('asks nobody before the first list, so that absence means something', async () => {
    world.server.collection.put('a');
    world.server.fault('list', { type: 'stall' });
    const reflector = world.start();
    const absent = reflector.waitFor(() => (reflector.get('argocd/a') === undefined ? 'absent' : 'present'));
    await world.server.until(() => world.server.requests.length === 1);
    world.clock.advance(30_000);
    expect(await absent).toBe('present');
  });

  it('says what it was waiting for when time runs out', async () => {
    const reflector = world.start();
    await reflector.ready();
    const options = { deadline: world.clock.now() + 60_000, waitingFor: 'vault to become Healthy' };
    const waiting = reflector.waitFor(() => undefined, options);
    world.clock.advance(60_000);
    await expect(waiting).rejects.toThrow(TimeoutError);
    await expect(waiting).rejects.toThrow('timed out waiting for vault to become Healthy');
  });

  it('ends one wait without the others', async () => {
    const reflector = world.start();
    const caller = new AbortController();
    const first = reflector.waitFor(() => undefined, { signal: caller.signal });
    const broken = reflector.waitFor(() => {
      throw new Error('a mistake in the predicate');
    });
    const second = reflector.waitFor(() => reflector.get('argocd/a')?.value);
    caller.abort(new Error('no longer interested'));
    await expect(first).rejects.toThrow('no longer interested');
    await expect(broken).rejects.toThrow('a mistake in the predicate');
    world.server.collection.put('a');
    expect(await second).toBe('x');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorLine, eventLine, item, type Reflecting, reflecting } from './testing/reflecting.ts';
import { steppedClock } from './testing/stepped-clock.ts';

let world: Reflecting;

beforeEach(async () => {
  world = await reflecting();
});

afterEach(async () => {
  await world.close();
});

describe('trouble', () => {
  it('lists again when the history is gone, as an event, and notices what was deleted meanwhile', async () => {
    world.server.collection.put('a');
    world.server.collection.put('b');
    const reflector = world.start();
    await reflector.ready();
    await world.watching();
    const [watch] = world.server.watches;
    watch?.destroy();
    world.server.collection.remove('a');
    world.server.collection.compact();
    world.server.collection.put('c');
    const changes: string[] = [];
    reflector.subscribe(({ type, key }) => changes.push(`${type} ${key}`));
    await world.caughtUp(reflector);
    expect(changes).toEqual(['deleted argocd/a', 'set argocd/c', 'resync ']);
  });

  it('lists again when the history is gone, as a status', async () => {
    world.server.fault('watch', { type: 'status', status: 410 });
    world.start();
    await world.watching();
    expect(world.count('limit=500')).toBe(2);
  });

  it.each([
    ['reset', { type: 'reset' }],
    ['429', { type: 'status', status: 429, retryAfter: '9' }],
    ['500', { type: 'status', status: 500 }],
    ['404', { type: 'status', status: 404 }],
    ['malformed line', { type: 'lines', lines: ['{"type":"ADD', ''], after: 'stall' }],
    ['line that is no event', { type: 'lines', lines: ['{"type":"ADDED","object":{}}', ''], after: 'stall' }],
    ['error event', { type: 'lines', lines: [errorLine(500), ''], after: 'stall' }],
    ['line cut off by a reset', { type: 'lines', lines: ['{"type":"ADDED"'], after: 'reset' }],
  ] as const)('resumes after a watch that met a %s', async (_, fault) => {
    world.server.fault('watch', fault);
    const reflector = world.start();
    await world.watching();
    world.server.collection.put('later');
    await world.caughtUp(reflector);
    expect(world.count('limit=500')).toBe(1);
    expect(world.troubles).toHaveLength(1);
    if (fault.type === 'status' && fault.status === 429) expect(world.clock.skipped).toEqual([9000]);
  });

  it.each(['reset', 'truncated', 'stall'] as const)('gets its first list in spite of a %s', async (type) => {
    world.server.collection.put('a');
    world.server.fault('list', { type });
    const reflector = world.start();
    await world.server.until(() => world.count('limit=500') === 1);
    if (type === 'stall') world.clock.advance(30_000);
    await reflector.ready();
    expect(world.same(reflector)).toBe(true);
  });

  it('survives a server that is away for a while', async () => {
    world.server.collection.put('a');
    const clock = steppedClock(async () => {
      if (clock.skipped.length === 6) await world.server.up();
    });
    const reflector = world.start({ clock });
    await reflector.ready();
    await world.watching();
    await world.server.down();
    world.server.collection.put('b');
    await world.caughtUp(reflector);
    expect(world.troubles).toHaveLength(6);
    expect(world.troubles.at(-1)).toContain('ECONNREFUSED');
  });

  it('notices a watch that has fallen silent', async () => {
    const first = eventLine('ADDED', item('a', 101, 'the last sign of life'));
    world.server.fault('watch', { type: 'lines', lines: [first, ''], after: 'stall' });
    const reflector = world.start({ random: () => 0 });
    await reflector.waitFor(() => reflector.get('argocd/a'));
    world.clock.advance(269_000);
    expect(world.count('watch=1')).toBe(1);
    world.clock.advance(1_000);
    await world.watching();
    expect(world.troubles).toEqual([expect.stringContaining('silent for 270 s')]);
  });

  it('notices silence sooner when asked to, but not while bytes arrive', async () => {
    const reflector = world.start({ idleTimeoutMs: 60_000 });
    await world.delivering(reflector);
    world.clock.advance(35_000);
    world.server.collection.put('a');
    await world.caughtUp(reflector);
    world.clock.advance(35_000);
    world.server.collection.put('b');
    await world.caughtUp(reflector);
    expect(world.count('watch=1')).toBe(1);
    world.clock.advance(60_000);
    await world.server.until(() => world.count('watch=1') === 2);
  });

  it('does not run hot against a server that closes every watch at once', async () => {
    world.server.fault('watch', { type: 'end' }, 10_000);
    world.start({ random: () => 0.99 });
    const began = world.clock.now();
    await world.server.until(() => world.count('watch=1') >= 40);
    // 0.2 s, 0.4 s … 10 s: forty attempts take minutes, not seconds.
    expect(world.clock.now() - began).toBeGreaterThan(300_000);
  });

  it('does not run hot against a server that only sends a bookmark, or an error, and closes', async () => {
    const bookmark = eventLine('BOOKMARK', { metadata: { resourceVersion: '4711' } });
    world.server.fault('watch', { type: 'lines', lines: [bookmark, ''], after: 'end' }, 20);
    world.server.fault('watch', { type: 'gone-event' }, 20);
    world.start({ random: () => 0.99 });
    const began = world.clock.now();
    await world.server.until(() => world.count('watch=1') >= 40);
    expect(world.clock.now() - began).toBeGreaterThan(300_000);
  });

  it('is patient again after a watch that delivered', async () => {
    world.server.fault('watch', { type: 'end' }, 5);
    const reflector = world.start({ random: () => 0.99 });
    await world.watching();
    expect(world.clock.skipped.map((ms) => Math.round(ms / 100))).toEqual([2, 4, 8, 16, 32]);
    world.server.collection.put('a');
    await world.caughtUp(reflector);
    for (const watch of world.server.watches) watch.destroy();
    await world.server.until(() => world.count('watch=1') === 7);
    expect(Math.round((world.clock.skipped.at(-1) ?? 0) / 100)).toBe(2);
  });
});

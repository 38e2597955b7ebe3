import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Change } from './object-cache.ts';
import { createReflector } from './reflector.ts';
import { clientOf } from './testing/client-of.ts';
import { contentsOf, type Item } from './testing/collection.ts';
import { collectionPath } from './testing/collection-answers.ts';
import type { Fault } from './testing/misbehave.ts';
import { type MisbehavingServer, misbehavingServer } from './testing/misbehaving-server.ts';
import { steppedClock } from './testing/stepped-clock.ts';

let server: MisbehavingServer;

beforeAll(async () => {
  server = await misbehavingServer();
});

afterAll(async () => {
  await server.down();
});

it('ends with what the server holds, whatever changed and broke on the way, and never goes back in time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep(), { maxLength: 40 }), async (steps) => {
      const clock = steppedClock();
      const client = clientOf(server, clock);
      const life = new AbortController();
      const reflector = createReflector<Item>(client, { path: collectionPath, clock }, life.signal);
      const backwards = watchForOlder(reflector.subscribe);
      for (const step of steps) await take(step);
      server.heal();
      // Whoever waits for a stalled answer runs into its deadline now.
      clock.advance(600_000);
      const wanted = (): string => server.collection.contents().join('\n');
      await reflector.waitFor(() => (contentsOf(reflector.all()).join('\n') === wanted() ? true : undefined));
      expect(backwards).toEqual([]);
      life.abort(new Error('this run is over'));
      client.close();
    }),
    // Real time, because what would have gone wrong is a wait without end.
    { numRuns: 150, timeout: 5_000 },
  );
}, 60_000);

type Step =
  | { readonly do: 'put' | 'remove'; readonly name: string }
  | { readonly do: 'compact' | 'drop' | 'end' | 'garbage' | 'repeat' | 'turn' }
  | { readonly do: 'fault'; readonly kind: 'list' | 'watch'; readonly fault: Fault };

function anyStep(): fc.Arbitrary<Step> {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'remove' as const), name }) },
    { weight: 4, arbitrary: fc.constant({ do: 'turn' as const }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('compact', 'drop', 'end', 'garbage', 'repeat') }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('fault' as const),
        kind: fc.constantFrom('list', 'watch'),
        fault: anyFault(),
      }),
    },
  );
}

function anyFault(): fc.Arbitrary<Fault> {
  const types = ['reset', 'stall', 'truncated', 'slow', 'end', 'gone-event'] as const;
  return fc.oneof(
    fc.record({ type: fc.constantFrom(...types) }),
    fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(404, 410, 429, 500, 502, 503, 504) }),
    fc.record({
      type: fc.constant('lines' as const),
      lines: fc.constantFrom([''], ['{"type":', ''], ['null', ''], ['{"type":"ADDED","obj']),
      after: fc.constantFrom('end', 'reset', 'stall'),
    }),
  );
}

async function take(step: Step): Promise<void> {
  const { collection, watches } = server;
  const openWatches = () => [...watches].filter((watch) => !watch.writableEnded);
  switch (step.do) {
    case 'put':
      collection.put(step.name, `v${collection.version}`);
      return;
    case 'remove':
      collection.remove(step.name);
      return;
    case 'compact':
      collection.compact();
      return;
    case 'drop':
      for (const watch of watches) watch.destroy();
      return;
    case 'end':
      for (const watch of watches) watch.end();
      return;
    case 'garbage':
      for (const watch of openWatches()) watch.write('{"type":"MODIFIED","object":{"metad\n');
      return;
    case 'repeat':
      for (const watch of openWatches()) watch.write(collection.since(0).slice(0, 3).map(eventLine).join(''));
      return;
    case 'fault':
      server.fault(step.kind, step.fault);
      return;
    case 'turn':
      // Gives the connection its turn; nothing depends on how far it gets.
      for (let turn = 0; turn < 100 && watches.size === 0; turn++) await new Promise(setImmediate);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return;
  }
}

function eventLine(event: object): string {
  return `${JSON.stringify(event)}\n`;
}

/** Collects every object that was shown after a later one of the same name. */
function watchForOlder(subscribe: (listener: (change: Change<Item>) => void) => unknown): string[] {
  const latest = new Map<string, number>();
  const older: string[] = [];
  subscribe(({ type, key, object }) => {
    const version = Number(object?.metadata.resourceVersion ?? Number.NaN);
    if (type === 'set' && version <= (latest.get(key) ?? 0)) older.push(`${key}@${version}`);
    if (type !== 'resync') latest.set(key, version);
  });
  return older;
}

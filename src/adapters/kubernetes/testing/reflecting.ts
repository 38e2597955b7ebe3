import type { ReflectorOptions } from '../follow.ts';
import { createReflector, type Reflector } from '../reflector.ts';
import { clientOf } from './client-of.ts';
import { contentsOf, type Item } from './collection.ts';
import { collectionPath, failure } from './collection-answers.ts';
import { misbehavingServer } from './misbehaving-server.ts';
import { steppedClock } from './stepped-clock.ts';

export type Reflecting = Awaited<ReturnType<typeof reflecting>>;

/** A server, a clock, and reflectors between them. */
export async function reflecting() {
  const server = await misbehavingServer();
  const clock = steppedClock();
  const client = clientOf(server, clock);
  const life = new AbortController();
  const troubles: string[] = [];

  const same = (reflector: Reflector<Item>): boolean =>
    contentsOf(reflector.all()).join('\n') === server.collection.contents().join('\n');
  const caughtUp = async (reflector: Reflector<Item>): Promise<void> => {
    await reflector.waitFor(() => (same(reflector) ? true : undefined));
  };
  const watching = (): Promise<void> => server.until(() => server.watches.size > 0);

  return {
    server,
    clock,
    life,
    troubles,
    same,
    caughtUp,
    watching,
    start: (options: Partial<ReflectorOptions> = {}): Reflector<Item> => {
      const onTrouble = (sentence: string): number => troubles.push(sentence);
      return createReflector<Item>(client, { path: collectionPath, clock, onTrouble, ...options }, life.signal);
    },
    /** The server's end of a watch opens before ours: only an event proves that both are open. */
    delivering: async (reflector: Reflector<Item>): Promise<void> => {
      await watching();
      server.collection.put('sign-of-life');
      await caughtUp(reflector);
    },
    /** How many requests had this in their path. */
    count: (part: string): number => server.requests.filter((request) => request.includes(part)).length,
    close: async (): Promise<void> => {
      life.abort(new Error('the test is over'));
      client.close();
      await server.down();
    },
  };
}

export function item(name: string, version: number, value: string): Item {
  return { metadata: { name, namespace: 'argocd', resourceVersion: String(version) }, value };
}

/** One line of a watch. */
export function eventLine(type: 'ADDED' | 'MODIFIED' | 'BOOKMARK', object: object): string {
  return JSON.stringify({ type, object });
}

export function errorLine(code: number): string {
  return JSON.stringify({ type: 'ERROR', object: failure(code, 'Fault') });
}

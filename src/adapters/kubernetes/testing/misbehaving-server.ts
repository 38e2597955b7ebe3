import type { ServerResponse } from 'node:http';
import { createCollection, type HistoryEvent } from './collection.ts';
import { collectionAnswers, collectionPath } from './collection-answers.ts';
import { loopbackServer, type Received } from './loopback-server.ts';
import { type Fault, misbehave, sendAnswer } from './misbehave.ts';

export type RequestKind = 'list' | 'watch' | 'get' | 'write';

export type MisbehavingServer = Awaited<ReturnType<typeof misbehavingServer>>;

/** An API server with one collection of Applications, over real HTTP, that misbehaves on command. */
export async function misbehavingServer() {
  const collection = createCollection();
  const answers = collectionAnswers(collection);
  const faults: Record<RequestKind, Fault[]> = { list: [], watch: [], get: [], write: [] };
  const watches = new Set<ServerResponse>();
  const { until, observe } = observable();

  function handle(request: Received, response: ServerResponse): void {
    const kind = kindOf(request);
    const fault = faults[kind].shift();
    if (fault === undefined || fault.type === 'slow' || fault.type === 'truncated') {
      if (kind === 'watch') watch(request.url, response);
      else sendAnswer(response, answer(kind, request), fault?.type);
    } else {
      if (fault.type === 'reset-after-processing') answer(kind, request);
      misbehave(fault, response);
    }
    response.on('close', observe);
    observe();
  }

  function answer(kind: RequestKind, { method, url, body }: Received) {
    return kind === 'list' ? answers.list(url) : answers.single(method, url, body);
  }

  function watch(url: URL, response: ServerResponse): void {
    const since = Number(url.searchParams.get('resourceVersion'));
    if (!collection.remembers(since)) {
      misbehave({ type: 'gone-event' }, response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const push = (event: HistoryEvent): void => {
      if (!response.writableEnded) response.write(`${JSON.stringify(event)}\n`);
    };
    for (const event of collection.since(since)) push(event);
    const stop = collection.listen(push);
    watches.add(response);
    response.on('close', () => {
      stop();
      watches.delete(response);
    });
  }

  const server = await loopbackServer(handle);
  return {
    ...server,
    collection,
    watches,
    until,
    fault: (kind: RequestKind, fault: Fault, times = 1): void => {
      for (let time = 0; time < times; time++) faults[kind].push(fault);
    },
    heal: (): void => {
      for (const queue of Object.values(faults)) queue.length = 0;
    },
  };
}

function kindOf({ method, url }: Received): RequestKind {
  if (method !== 'GET') return 'write';
  if (url.searchParams.has('watch')) return 'watch';
  return url.pathname === collectionPath ? 'list' : 'get';
}

/** Lets tests wait for something to have happened at the server instead of for time. */
function observable() {
  const observers = new Set<() => void>();
  return {
    observe: (): void => {
      for (const observer of [...observers]) observer();
    },
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          observers.delete(look);
          resolve();
        };
        observers.add(look);
        look();
      }),
  };
}

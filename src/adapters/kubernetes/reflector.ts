import { linkedAbort } from './abort.ts';
import type { KubeClient } from './client.ts';
import { UnreachableError } from './errors.ts';
import { follow, type ReflectorOptions } from './follow.ts';
import { type Change, createObjectCache, type Identified } from './object-cache.ts';
import { createPosition } from './position.ts';
import { createWaiters, type WaitOptions } from './waiters.ts';
import type { WatchEvent } from './watch-stream.ts';

/** A live copy of one collection. */
export interface Reflector<T> {
  /** Resolves after the first list; rejects with the ApiError when we may not read it. */
  ready(signal?: AbortSignal): Promise<void>;
  /** By `namespace/name`, or by name for objects without namespace. */
  get(key: string): T | undefined;
  all(): readonly T[];
  /** Counts changes. */
  readonly version: number;
  /** The server has accepted a watch: what changes from now on is shown. */
  readonly hasWatched: boolean;
  subscribe(listener: (change: Change<T>) => void): () => void;
  /** The first answer of the predicate that is not undefined, asked after the first list and at each change; TimeoutError at the deadline. */
  waitFor<R>(predicate: () => R | undefined, options?: WaitOptions): Promise<R>;
  /** Drops the connection and resumes: for a caller who knows of a change that the watch has not shown. */
  doubt(): void;
  stop(): void;
}

/** Lists a collection, then follows it until the signal aborts: whatever breaks is mended by resuming or listing again. Only 401 and 403 end it. */
export function createReflector<T extends Identified>(
  client: KubeClient,
  options: ReflectorOptions,
  signal: AbortSignal,
): Reflector<T> {
  const cache = createObjectCache<T>();
  const life = linkedAbort(signal);
  const waiters = createWaiters(options.clock);
  const position = createPosition();

  async function relist(): Promise<void> {
    const { labelSelector, fieldSelector } = options;
    const query = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }), retryForMs: 0 };
    const { items, resourceVersion } = await client.list<T>(options.path, query, life.signal);
    position.accept(resourceVersion);
    cache.replaceAll(items);
    waiters.open();
  }

  function take(event: WatchEvent<T>): boolean {
    // A server that lags behind may repeat what we have seen; an older object is never shown again.
    if (!position.advance(event.object.metadata.resourceVersion) || event.type === 'BOOKMARK') return false;
    if (event.type === 'DELETED') cache.delete(event.object);
    else cache.set(event.object);
    return true;
  }

  let dropWatch: ((reason: unknown) => void) | undefined;
  function opened(drop: (reason: unknown) => void): void {
    const isFirst = dropWatch === undefined;
    dropWatch = drop;
    if (isFirst) waiters.check();
  }

  cache.subscribe(waiters.check);
  follow({ client, options, position, relist, take, opened }, life.signal).then(waiters.end, waiters.end);

  return {
    ready: async (waiting) => {
      await waiters.waitFor(() => true, waiting === undefined ? {} : { signal: waiting });
    },
    get: cache.get,
    all: cache.all,
    get version() {
      return cache.version;
    },
    get hasWatched() {
      return dropWatch !== undefined;
    },
    subscribe: cache.subscribe,
    waitFor: waiters.waitFor,
    doubt: () => dropWatch?.(new UnreachableError('the watch missed a change', { cause: undefined })),
    stop: () => {
      life.abort(new Error(`the watch of ${options.path} was stopped`));
      life.release();
    },
  };
}

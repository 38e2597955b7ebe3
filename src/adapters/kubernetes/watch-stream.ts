import type { Clock } from '../../engine/ports.ts';
import { chunksOf, linkedAbort } from './abort.ts';
import type { KubeClient } from './client.ts';
import { ApiError, UnreachableError } from './errors.ts';
import type { Identified } from './object-cache.ts';
import { readLines } from './read-lines.ts';

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

export interface WatchWorld {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** The events of one watch until the server closes it; an ERROR event, a broken line or silence for `idleMs` is thrown. */
export async function* watchStream<T extends Identified>(
  { client, clock }: WatchWorld,
  { path, idleMs, opened }: { path: string; idleMs: number; opened: (drop: (reason: unknown) => void) => void },
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const connection = linkedAbort(signal);
  const silence = idleTimer(clock, idleMs, connection.signal);
  silence.expired.then(connection.abort, () => undefined);
  try {
    const response = await client.stream(path, connection.signal);
    opened(connection.abort);
    for await (const line of readLines(silence.hearing(chunksOf(response.body, connection.signal)))) {
      if (line.trim() !== '') yield parseEvent<T>(line, path);
    }
  } finally {
    connection.abort(letGo);
    connection.release();
  }
}

const letGo = new Error('the watch was let go');

/** One sleeper per watch that is woken, sees whether bytes came meanwhile, and sleeps for the rest. */
function idleTimer(clock: Clock, idleMs: number, signal: AbortSignal) {
  let heardAt = clock.now();

  async function expired(): Promise<UnreachableError> {
    for (let left = idleMs; left > 0; left = heardAt + idleMs - clock.now()) await clock.sleep(left, signal);
    const message = `the watch was silent for ${Math.round(idleMs / 1000)} s`;
    return new UnreachableError(message, { cause: undefined });
  }

  async function* hearing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      heardAt = clock.now();
      yield chunk;
    }
  }

  return { expired: expired(), hearing };
}

function parseEvent<T extends Identified>(line: string, path: string): WatchEvent<T> {
  const event = parseLine(line);
  if (event?.type === 'ERROR') throw errorOf(event.object, path);
  if (event === undefined || !isEvent(event))
    throw new UnreachableError('the watch sent a line that is not an event', { cause: undefined });
  // Checked as far as the cache relies on it; the rest is the type the caller asked the server for.
  return event as unknown as WatchEvent<T>;
}

function isEvent({ type, object }: Line): boolean {
  const { name, resourceVersion } = object?.metadata ?? {};
  return types.has(type) && typeof resourceVersion === 'string' && (type === 'BOOKMARK' || typeof name === 'string');
}

const types: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

interface Line {
  readonly type?: unknown;
  readonly object?: { readonly metadata?: { readonly name?: unknown; readonly resourceVersion?: unknown } } | null;
}

function parseLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // The parser's message would quote the line, which may be part of a Secret.
    return undefined;
  }
}

function errorOf(object: unknown, path: string): ApiError {
  const status = (object ?? {}) as { message?: string; code?: number; reason?: string; details?: unknown };
  return new ApiError({
    message: status.message ?? 'the watch ended with an error without a message',
    status: status.code ?? 500,
    reason: status.reason,
    details: status.details,
    method: 'GET',
    path,
  });
}

import type { Clock } from '../../engine/ports.ts';
import type { KubeClient } from './client.ts';
import { ApiError } from './errors.ts';
import type { Identified } from './object-cache.ts';
import type { Position } from './position.ts';
import { backOffMs, isTransient, retryAfter } from './retry.ts';
import { type WatchEvent, watchStream } from './watch-stream.ts';
import { withQuery } from './with-query.ts';

/** Runs until the signal aborts, and resolves with its reason, or until the server forbids it, and rejects. */
export async function follow<T extends Identified>(following: Following<T>, signal: AbortSignal): Promise<unknown> {
  const { clock, random = () => 0.5, onTrouble, path } = following.options;
  let failures = 0;
  while (!signal.aborted) {
    const { outcome, error } = await listAndWatch(following, signal);
    if (signal.aborted) break;
    if (outcome !== 'nothing') failures = 0;
    if (outcome === 'lived' && error === undefined) continue;
    failures++;
    // A history that the server no longer has, or that it cannot send in one piece, is skipped by listing again.
    if (isGone(error) || failures >= 3) following.position.forget();
    const delayMs = Math.max(backOffMs(failures, random), retryAfter(error));
    onTrouble?.(`Watching ${path}: ${sentence(error)}; trying again in ${(delayMs / 1000).toFixed(1)} s.`);
    await pause(clock, delayMs, signal);
  }
  return signal.reason;
}

export interface ReflectorOptions {
  /** Path of the collection. */
  readonly path: string;
  readonly clock: Clock;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Silence after which a watch counts as dead; at most the watch's own time-out plus 30 s. */
  readonly idleTimeoutMs?: number;
  /** For jitter, 0 ≤ x < 1. */
  readonly random?: () => number;
  /** Hears, in a sentence, of everything that interrupts the watch. */
  readonly onTrouble?: (sentence: string) => void;
}

export interface Following<T> {
  readonly client: KubeClient;
  readonly options: ReflectorOptions;
  readonly position: Position;
  readonly relist: () => Promise<void>;
  readonly take: (event: WatchEvent<T>) => boolean;
  /** Called with a way to drop the connection, each time a watch has been opened. */
  readonly opened: (drop: (reason: unknown) => void) => void;
}

interface Attempt {
  readonly outcome: 'nothing' | 'delivered' | 'lived';
  readonly error?: unknown;
}

async function listAndWatch<T extends Identified>(following: Following<T>, signal: AbortSignal): Promise<Attempt> {
  const { client, options, position, relist, take } = following;
  const { clock, path, labelSelector, fieldSelector, random = () => 0.5 } = options;
  let openedAt: number | undefined;
  let delivered = false;
  const outcome = (): Attempt['outcome'] => {
    if (openedAt !== undefined && clock.now() - openedAt >= livedMs) return 'lived';
    return delivered ? 'delivered' : 'nothing';
  };
  try {
    if (position.resume() === undefined) await relist();
    const timeoutSeconds = 240 + Math.floor(random() * 61);
    const query = { watch: 1, allowWatchBookmarks: 'true', resourceVersion: position.resume(), timeoutSeconds };
    const watch = {
      path: withQuery(path, { labelSelector, fieldSelector, ...query }),
      idleMs: Math.min(options.idleTimeoutMs ?? Number.POSITIVE_INFINITY, (timeoutSeconds + 30) * 1000),
      opened: (drop: (reason: unknown) => void) => {
        openedAt = clock.now();
        following.opened(drop);
      },
    };
    for await (const event of watchStream<T>({ client, clock }, watch, signal)) delivered = take(event) || delivered;
    return { outcome: outcome() };
  } catch (error) {
    if (!signal.aborted && isFinal(error)) throw error;
    return { outcome: outcome(), error };
  }
}

/** A watch that stayed open this long ended as watches do. */
const livedMs = 10_000;

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** What nobody can wait out: missing rights, and errors that no server caused. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 401 || error.status === 403;
  return !isTransient(error);
}

function sentence(error: unknown): string {
  if (error === undefined) return 'the server closed it at once';
  return error instanceof Error ? error.message : String(error);
}

/** An abort ends the pause early; the loop sees it. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

import { setMaxListeners } from 'node:events';
import type { Clock } from '../../engine/ports.ts';
import { TimeoutError } from './errors.ts';

export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Forgets the parent. `AbortSignal.any` keeps every child for as long as the parent lives, which for a run is hours. */
  release(): void;
}

/** A controller of one's own that the parent's abort also reaches. */
export function linkedAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  else if (parent !== undefined) {
    // One run's signal is shared by hundreds of requests; that is no leak.
    setMaxListeners(0, parent);
    parent.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent?.removeEventListener('abort', follow),
  };
}

/** Settles as the work does, or rejects with the signal's reason: also when the work itself does not listen to the signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    const settled = (): void => signal.removeEventListener('abort', stop);
    work.finally(settled).then(resolve, reject);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Settles as the work does, or rejects with a TimeoutError after `ms` of the clock. */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = clock.sleep(ms, timer.signal).then((): never => {
    throw new TimeoutError(`no answer within ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort(finished);
  }
}

/** One reason for all: an abort without a reason makes an exception with a stack each time. */
const finished = new Error('finished in time');

/** The chunks of a body until it ends or the signal aborts; then the rest is thrown away. */
export async function* chunksOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await untilAborted(chunks.next(), signal);
      if (next.done) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: the return of a generator that is stuck in a stalled read never settles.
    if (!ended) chunks.return?.().then(undefined, () => undefined);
  }
}

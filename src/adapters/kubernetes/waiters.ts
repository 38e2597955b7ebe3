import type { Clock } from '../../engine/ports.ts';
import { linkedAbort } from './abort.ts';
import { TimeoutError } from './errors.ts';

export interface WaitOptions {
  /** In milliseconds of the clock since the epoch. */
  readonly deadline?: number;
  readonly signal?: AbortSignal;
  /** What the TimeoutError says was waited for. */
  readonly waitingFor?: string;
}

export interface Waiters {
  /** From now on predicates are asked: before the first list an absence would prove nothing. */
  open(): void;
  /** Asks all predicates again. */
  check(): void;
  /** Rejects all waiters, also later ones. */
  end(reason: unknown): void;
  waitFor<R>(predicate: () => R | undefined, options?: WaitOptions): Promise<R>;
}

/** Those who wait for something to become true. */
export function createWaiters(clock: Clock): Waiters {
  const checks = new Set<() => void>();
  let opened = false;
  let ended: { readonly reason: unknown } | undefined;

  function check(): void {
    for (const one of [...checks]) one();
  }

  async function waitFor<R>(predicate: () => R | undefined, options: WaitOptions = {}): Promise<R> {
    const waiting = linkedAbort(options.signal);
    let checkThis: (() => void) | undefined;
    try {
      return await new Promise<R>((resolve, reject) => {
        checkThis = () => {
          if (ended !== undefined) return reject(ended.reason);
          if (opened) answer(predicate, resolve, reject);
        };
        checks.add(checkThis);
        rejectWhenOver(waiting.signal, reject);
        if (options.deadline !== undefined) startDeadline(clock, options, waiting.abort, waiting.signal);
        checkThis();
      });
    } finally {
      if (checkThis !== undefined) checks.delete(checkThis);
      waiting.abort(answered);
      waiting.release();
    }
  }

  return {
    open: () => {
      opened = true;
      check();
    },
    check,
    end: (reason) => {
      ended = { reason };
      check();
    },
    waitFor,
  };
}

const answered = new Error('the wait is over');

function answer<R>(
  predicate: () => R | undefined,
  resolve: (value: R) => void,
  reject: (error: unknown) => void,
): void {
  try {
    const value = predicate();
    if (value !== undefined) resolve(value);
  } catch (error) {
    // The waiter's own mistake; it must not stop the others.
    reject(error);
  }
}

function rejectWhenOver(signal: AbortSignal, reject: (error: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}

function startDeadline(
  clock: Clock,
  { deadline = 0, waitingFor = 'the change' }: WaitOptions,
  abort: (reason: unknown) => void,
  signal: AbortSignal,
): void {
  const late = (): void => abort(new TimeoutError(`timed out waiting for ${waitingFor}`));
  // The sleep itself rejects only because the wait is over.
  clock.sleep(Math.max(0, deadline - clock.now()), signal).then(late, () => undefined);
}

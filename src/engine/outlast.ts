import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import type { Clock } from './ports.ts';

/**
 * For what must not be cut off by a stop: works with a signal that is aborted so much later than the one that stops us. At once
 * when somebody else goes on with the run: nothing more of it is ours to write.
 */
export async function outlast<T>(
  clock: Clock,
  { stopped, graceMs }: { readonly stopped: AbortSignal; readonly graceMs: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const done = new AbortController();
  const begin = (): void => {
    if (stopped.reason instanceof PassedOnError) {
      late.abort(stopped.reason);
      return;
    }
    const giveUp = (): void => late.abort(new InterruptedError(`no answer for ${graceMs / 1000} s after the stop`));
    void clock.sleep(graceMs, done.signal).then(giveUp, () => undefined);
  };
  if (stopped.aborted) begin();
  else stopped.addEventListener('abort', begin, { once: true });
  try {
    return await work(late.signal);
  } finally {
    stopped.removeEventListener('abort', begin);
    done.abort();
  }
}

import type { Clock } from './ports.ts';

/** Those who wait for one piece of work. It goes on while any of them is there, whoever began it. */
export interface Company {
  /** Aborted when the last of them has gone, with the reason of that one. */
  readonly signal: AbortSignal;
  join(signal: AbortSignal): void;
}

export function createCompany(): Company {
  const over = new AbortController();
  let waiting = 0;
  return {
    signal: over.signal,
    join(signal) {
      waiting += 1;
      const leave = (): void => {
        waiting -= 1;
        if (waiting === 0) over.abort(signal.reason);
      };
      if (signal.aborted) leave();
      // By a signal that follows it: many a company listens to that of one run, and Node would take them for a leak.
      else AbortSignal.any([signal]).addEventListener('abort', leave, { once: true });
    },
  };
}

/** How long somebody waits. */
export interface OwnTime {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** What comes of work that others wait for as well, unless our own time is over first. */
export async function waitWithin<T>(
  clock: Clock,
  work: Promise<T>,
  { deadline, signal }: OwnTime,
): Promise<T | 'late'> {
  const done = new AbortController();
  const late = clock.sleep(deadline - clock.now(), AbortSignal.any([signal, done.signal])).then(() => 'late' as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
  }
}

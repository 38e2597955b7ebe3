import { setMaxListeners } from 'node:events';
import type { Clock } from '../../engine/ports.ts';

/** The computer's own time. A sleep keeps the process alive: whoever sleeps still has work to do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(Math.max(0, ms), longestTimerMs),
      );
      if (signal === undefined) return;
      // Many sleepers share one run's signal; that is no leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort, { once: true });
    }),
};

/** Node fires longer timers at once. */
const longestTimerMs = 2 ** 31 - 1;

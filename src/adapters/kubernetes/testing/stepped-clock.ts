import type { Clock } from '../../../engine/ports.ts';

export interface SteppedClock extends Clock {
  /** The short sleeps so far, in milliseconds. */
  readonly skipped: readonly number[];
  /** Lets time pass for those who sleep long. */
  advance(ms: number): void;
}

/** Time for tests with real connections: short sleeps (back-off) are over at once, long ones (deadlines, idle timers) wait for `advance`. */
export function steppedClock(onSkip: (ms: number) => Promise<void> = async () => undefined): SteppedClock {
  let now = Date.UTC(2026, 0, 5);
  const skipped: number[] = [];
  const sleepers = new Set<{ at: number; wake: () => void }>();

  async function skip(ms: number): Promise<void> {
    skipped.push(ms);
    now += ms;
    await onSkip(ms);
  }

  function sleepLong(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: now + ms, wake: resolve };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  return {
    skipped,
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      await (ms < 20_000 ? skip(ms) : sleepLong(ms, signal));
      signal?.throwIfAborted();
    },
    advance: (ms) => {
      now += ms;
      for (const sleeper of [...sleepers]) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

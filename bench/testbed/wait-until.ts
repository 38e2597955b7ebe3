import { systemClock } from '../../src/adapters/clock/system-clock.ts';

/** Asks until it is so; tells the sentence when it waited in vain. */
export async function waitUntil(sentence: string, isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const until = systemClock.now() + withinMs;
  while (!(await isSo())) {
    if (systemClock.now() > until) throw new Error(`waited ${withinMs / 1000} s in vain until ${sentence}`);
    await systemClock.sleep(100);
  }
}

/** Waits for the work, and says every minute what is missing: a wait that hangs must not look like one that takes long. */
export async function tellingWhy<T>(work: Promise<T>, missing: () => string): Promise<T> {
  const ended = new AbortController();
  const begunAt = systemClock.now();
  const tell = async (): Promise<void> => {
    for (;;) {
      await systemClock.sleep(60_000, ended.signal);
      console.error(`waiting for ${Math.round((systemClock.now() - begunAt) / 1000)} s: ${missing()}`);
    }
  };
  tell().catch(() => undefined);
  try {
    return await work;
  } finally {
    ended.abort();
  }
}

import { systemClock } from '../../src/adapters/clock/system-clock.ts';

/** Asks until it is so; tells the sentence when it waited in vain. */
export async function waitUntil(sentence: string, isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const until = systemClock.now() + withinMs;
  while (!(await isSo())) {
    if (systemClock.now() > until) throw new Error(`waited ${withinMs / 1000} s in vain until ${sentence}`);
    await systemClock.sleep(100);
  }
}

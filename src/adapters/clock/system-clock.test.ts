import { expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

it('wakes after the time it was given', async () => {
  const before = systemClock.now();
  await systemClock.sleep(5);
  // Timers may fire a millisecond early by the wall clock.
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(4);
});

it("wakes at once, with the signal's reason, when it is aborted before or during the sleep", async () => {
  const reason = new Error('enough');
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const asleep = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await expect(asleep).rejects.toBe(reason);
});

it('does not take a sleep of months for none', async () => {
  const controller = new AbortController();
  const asleep = systemClock.sleep(2 ** 40, controller.signal);
  const first = await Promise.race([asleep.catch(() => 'woken'), systemClock.sleep(1).then(() => 'still asleep')]);
  expect(first).toBe('still asleep');
  controller.abort();
});

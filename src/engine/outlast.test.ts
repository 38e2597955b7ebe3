import { expect, it } from 'vitest';
import { virtualTime } from '../sandbox/time.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { outlast } from './outlast.ts';

it.each([
  ['goes on for a while after a stop', new InterruptedError('stopped'), 6_000, 'no answer for 5 s after the stop'],
  ['ends at once when somebody else goes on', new PassedOnError('the lease was lost'), 1_000, 'the lease was lost'],
])('%s', async (_what, reason, endsAt, because) => {
  const time = virtualTime();
  const began = time.now();
  const stop = new AbortController();
  time.after(1_000, () => stop.abort(reason));
  const work = outlast(time, { stopped: stop.signal, graceMs: 5_000 }, (signal) => time.sleep(60_000, signal));
  await expect(time.run(work)).rejects.toThrow(because);
  expect(time.now() - began).toBe(endsAt);
});

it('gives what was done in time', async () => {
  const time = virtualTime();
  const stop = AbortSignal.abort(new InterruptedError('stopped'));
  const work = outlast(time, { stopped: stop, graceMs: 5_000 }, async (signal) => {
    await time.sleep(4_000, signal);
    return 'done';
  });
  expect(await time.run(work)).toBe('done');
});

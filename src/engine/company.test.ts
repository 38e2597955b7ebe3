import { expect, it } from 'vitest';
import { virtualTime } from '../sandbox/time.ts';
import { createCompany, waitWithin } from './company.ts';

it('goes on while one of those who wait for it is there, and ends with the last, for the reason of that one', () => {
  const [first, last] = [new AbortController(), new AbortController()];
  const company = createCompany();
  company.join(first.signal);
  company.join(last.signal);
  first.abort(new Error('its task was taken away'));
  expect(company.signal.aborted).toBe(false);
  last.abort(new Error('the run was stopped'));
  expect(company.signal.reason).toEqual(new Error('the run was stopped'));
});

it('ends at once when nobody who waits is left from the beginning', () => {
  const company = createCompany();
  company.join(AbortSignal.abort(new Error('stopped')));
  expect(company.signal.reason).toEqual(new Error('stopped'));
});

it('is waited for no longer than one’s own time, and goes on without those who had less', async () => {
  const time = virtualTime();
  const work = time.sleep(60_000).then(() => 'done');
  const { signal } = new AbortController();
  const within = (ms: number): Promise<string> => waitWithin(time, work, { deadline: time.now() + ms, signal });
  expect(await time.run(Promise.all([within(5_000), within(90_000)]))).toEqual(['late', 'done']);
});

it('is not waited for by those who are stopped', async () => {
  const time = virtualTime();
  const stop = new AbortController();
  const waiting = waitWithin(time, new Promise(() => undefined), {
    deadline: time.now() + 60_000,
    signal: stop.signal,
  });
  stop.abort(new Error('stopped'));
  await expect(time.run(waiting)).rejects.toThrow('stopped');
});

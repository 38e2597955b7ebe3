import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

const never = new AbortController().signal;

it('lets no more work at once than there are places, first come, first served', async () => {
  const places = createPlaces(2);
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => async (): Promise<void> => {
    log.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  const all = ['a', 'b', 'c', 'd'].map((name) => places.use(work(name), never));
  expect(log).toEqual(['a', 'b']);
  ends.shift()?.();
  await turn();
  expect(log).toEqual(['a', 'b', 'c']);
  ends.shift()?.();
  await turn();
  expect(log).toEqual(['a', 'b', 'c', 'd']);
  for (const end of ends) end();
  await Promise.all(all);
});

it('with 0 sets no limit', async () => {
  const places = createPlaces(0);
  let busy = 0;
  for (let index = 0; index < 50; index++) void places.use(() => new Promise(() => void busy++), never);
  await turn();
  expect(busy).toBe(50);
});

it('never begins what was interrupted while it waited, and passes its place on', async () => {
  const places = createPlaces(1);
  const log: string[] = [];
  let end: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = places.use(() => until, never);
  const interrupted = new AbortController();
  const second = places.use(async () => void log.push('second'), interrupted.signal);
  const third = places.use(async () => void log.push('third'), never);
  interrupted.abort();
  await second;
  expect(log).toEqual([]);
  end();
  await Promise.all([first, third]);
  expect(log).toEqual(['third']);
});

it('frees the place of work that threw', async () => {
  const places = createPlaces(1);
  await expect(places.use(() => Promise.reject(new Error('a bug')), never)).rejects.toThrow('a bug');
  const log: string[] = [];
  await places.use(async () => void log.push('next'), never);
  expect(log).toEqual(['next']);
});

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

import { expect, it } from 'vitest';
import { virtualTime } from '../sandbox/time.ts';
import { createPatience } from './patience.ts';
import type { World } from './ports.ts';

const longestMs = 30_000;

it('repeats after two seconds, and then ever more seldom', async () => {
  expect(await repeatedAt({ inLine: () => 3, forMs: 60_000 })).toEqual([2_000, 6_000, 14_000, 30_000, 60_000]);
});

it('lets a request stand in a long line for as long as the line needs', async () => {
  expect(await repeatedAt({ inLine: () => 300, forMs: 120_000 })).toEqual([60_000]);
});

it('sees soon that the line has become short', async () => {
  const inLine = (now: number): number => (now < 9_000 ? 300 : 0);
  expect(await repeatedAt({ inLine, forMs: 12_000 })).toEqual([10_000]);
});

it('begins anew when something has happened', async () => {
  const { time, patience } = waiting(() => 0);
  await time.run(time.sleep(1_900));
  patience.begin();
  await time.run(time.sleep(200));
  expect([patience.isOver(), patience.lookAt() - time.now()]).toEqual([false, 1_800]);
});

/** When somebody who looks no sooner than told would repeat a request that is never answered. */
async function repeatedAt(on: { inLine: (now: number) => number; forMs: number }): Promise<number[]> {
  const { time, patience, now } = waiting(on.inLine);
  const repeated: number[] = [];
  const wait = async (): Promise<void> => {
    for (;;) {
      await time.sleep(patience.lookAt() - time.now());
      if (now() > on.forMs) return;
      if (!patience.isOver()) continue;
      repeated.push(now());
      patience.repeated(longestMs);
    }
  };
  await time.run(wait());
  return repeated;
}

function waiting(inLine: (now: number) => number) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  const argocd = { unanswered: () => inLine(now()) };
  return { time, now, patience: createPatience({ clock: time, argocd } as unknown as World) };
}

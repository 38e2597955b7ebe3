import { expect, it } from 'vitest';
import { virtualTime } from '../sandbox/time.ts';
import { createPatience } from './patience.ts';
import type { World } from './ports.ts';

it('repeats after two seconds, and then ever more seldom', async () => {
  expect(await repeatedAt({ inLine: () => 3, forMs: 62_000 })).toEqual([2_000, 6_000, 14_000, 30_000, 60_000]);
});

it('hardly gets more seldom where an operation is under way and waits for what nobody tells', async () => {
  const on = { inLine: () => 3, forMs: 24_000, where: 'under way' } as const;
  expect((await repeatedAt(on)).map(Math.round)).toEqual([2_000, 4_500, 7_625, 11_531, 16_414, 22_518]);
});

it('lets a request stand in a long line for as long as the line needs', async () => {
  expect(await repeatedAt({ inLine: () => 60, forMs: 30_000 })).toEqual([12_000]);
});

it('waits for an Argo CD that is slow lately, however short the line', async () => {
  expect(await repeatedAt({ inLine: () => 3, tookMs: 5_000, forMs: 45_000 })).toEqual([10_000, 30_000]);
});

it('does not believe in a line that would take for ever', async () => {
  expect(await repeatedAt({ inLine: () => 3_000, forMs: 62_000 })).toEqual([30_000, 60_000]);
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

/** When somebody who looks no sooner than told would repeat an operation that is never begun. */
async function repeatedAt(on: Standing): Promise<number[]> {
  const { time, patience, now } = waiting(on.inLine, on.tookMs);
  const repeated: number[] = [];
  const wait = async (): Promise<void> => {
    for (;;) {
      await time.sleep(patience.lookAt() - time.now());
      if (now() > on.forMs) return;
      if (!patience.isOver()) continue;
      repeated.push(now());
      patience.repeated(on.where);
    }
  };
  await time.run(wait());
  return repeated;
}

interface Standing {
  readonly inLine: (now: number) => number;
  readonly tookMs?: number;
  readonly forMs: number;
  readonly where?: 'under way';
}

function waiting(inLine: (now: number) => number, tookMs = 300) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  const argocd = { line: () => ({ length: inLine(now()), tookMs }) };
  return { time, now, patience: createPatience({ clock: time, argocd } as unknown as World, 'operations') };
}

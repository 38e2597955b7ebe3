import { expect, it } from 'vitest';
import { runSeeds, seedsOf } from './run-seeds.ts';

const seeds = seedsOf(0);

it(`embedded: keeps INV-1, 4, 5, 6, R2.3 and R2.4 on ${seeds.length} random platforms with faults and kills`, {
  timeout: 3_600_000,
}, async () => {
  expect(await runSeeds(seeds)).toBe('');
});

import { expect, it } from 'vitest';
import { randomCase } from './random-case.ts';
import { simulate } from './simulate.ts';

/** SIM_RUNS: how many in all. SIM_SEED: replay one. The work is spread over two files so that two cores share it. */
const runs = Number(process.env['SIM_RUNS'] ?? 1_000);
const only = process.env['SIM_SEED'];

it(`keeps every invariant on ${only === undefined ? runs / 2 : 1} random platforms with faults and kills`, {
  timeout: 3_600_000,
}, async () => {
  const seeds = only === undefined ? Array.from({ length: runs / 2 }, (_, index) => index * 2 + 1) : [Number(only)];
  const failures: string[] = [];
  for (const seed of seeds) {
    const broken = await simulate(seed);
    if (broken.length === 0) continue;
    failures.push(
      `seed ${seed}:\n  ${broken.slice(0, 5).join('\n  ')}\n  replay: SIM_SEED=${seed} npx vitest run test/simulation`,
    );
    if (only !== undefined) console.log(randomCase(seed).dag);
    if (failures.length >= 5) break;
  }
  expect(failures.join('\n')).toBe('');
});

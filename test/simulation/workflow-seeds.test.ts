import { expect, it } from 'vitest';
import { runSeeds, workflowSeeds } from './run-seeds.ts';

const seeds = workflowSeeds();

it(`argo-workflows: keeps INV-1, 4, 5, 6, R2.3 and R2.4 on ${seeds.length} random platforms with faults and kills, of agents too`, {
  timeout: 3_600_000,
}, async () => {
  expect(await runSeeds(seeds, 'argo-workflows')).toBe('');
});

import { defineConfig } from 'vitest/config';

const resultsFile = process.env['TEST_RESULTS'];

/** What needs the testbed: the contract suite once more, on real processes, and what only a real cluster can show. */
export default defineConfig({
  test: {
    include: ['test/contracts/**/*.test.ts', 'test/real/**/*.test.ts'],
    env: { TIPHYS_CONTRACT: 'testbed' },
    globalSetup: ['test/contracts/testbed-up.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Each suite has a testbed of its own. Two beside each other use the time in which one waits.
    maxWorkers: 2,
    maxConcurrency: 6,
    reporters: resultsFile === undefined ? ['default'] : ['default', ['json', { outputFile: resultsFile }]],
  },
});

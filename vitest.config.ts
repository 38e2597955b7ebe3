import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';

// `.ci/run` wants the counts without reading what is printed for people.
const resultsFile = process.env['TEST_RESULTS'];

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts', 'testbed/**/*.test.ts'],
    // These need the testbed: `npm run test:real`, `npm run test:chaos`.
    exclude: ['node_modules/**', 'test/real/**', 'test/chaos/**'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: {
      sequencer: longestFirst({
        'simulation/even-seeds': 2,
        'simulation/odd-seeds': 2,
        'simulation/workflow-seeds': 1,
        'bootstrap/connection': 1,
      }),
    },
    reporters: resultsFile === undefined ? ['default'] : ['default', ['json', { outputFile: resultsFile }]],
  },
});

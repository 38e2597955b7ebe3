import { defineConfig } from 'vitest/config';

/** The long matrix: our program and the testbed's processes killed at random moments. One file after the other: they share a testbed. */
export default defineConfig({
  test: {
    include: ['test/chaos/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    bail: 0,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    disableConsoleIntercept: true,
  },
});

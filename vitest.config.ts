import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default'],
  },
});

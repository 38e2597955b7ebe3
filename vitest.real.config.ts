import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';
import type { ArgoCdLine } from './testbed/testbed.ts';

const resultsFile = process.env['TEST_RESULTS'];

const order = longestFirst({
  'real/bootstrap-broken': 9,
  'real/bootstrap-credentials': 6,
  'real/argo-workflows': 6,
  'real/bootstrap': 5,
  'real/resume': 5,
  'real/image': 4,
  'real/reference': 4,
  'real/testbed-itself': 4,
  'real/rbac': 2,
  'real/testbed-empty': 2,
  'real/rbac-extra': 1,
  'real/teardown': 1,
  'real/faults': 1,
  'real/chart': 1,
});

// Longer than any wait in a test, so that the wait gets to say what it waited for.
const onTestbed = { testTimeout: 300_000, hookTimeout: 300_000, pool: 'forks', maxConcurrency: 6 } as const;

/** Changes what all other contracts rely on. */
const changingAll = 'test/contracts/changed-checks.test.ts';

/** The contract suite once more, on the real processes of one release line of Argo CD. */
function contracts(line: ArgoCdLine, exclude: string[] = []): TestProjectInlineConfiguration {
  return {
    test: {
      ...onTestbed,
      name: `contracts-${line}`,
      include: ['test/contracts/**/*.test.ts'],
      exclude: [...exclude, changingAll],
      env: { TIPHYS_CONTRACT: line },
      globalSetup: ['test/contracts/testbed-up.ts'],
    },
  };
}

/** The rest of it, when nobody else is at work. */
function contractsAfterwards(line: ArgoCdLine): TestProjectInlineConfiguration {
  return {
    test: {
      ...onTestbed,
      name: `contracts-${line}-afterwards`,
      include: [changingAll],
      env: { TIPHYS_CONTRACT: line },
      globalSetup: ['test/contracts/testbed-up.ts'],
      maxConcurrency: 1,
      sequence: { groupOrder: 1 },
    },
  };
}

/** What needs the testbed: the contracts, and what only a real cluster can show. */
export default defineConfig({
  test: {
    projects: [
      contracts('3.5'),
      // What Kubernetes and Argo Workflows promise does not depend on it.
      contracts('3.4', ['test/contracts/{api,api-watch,argo-workflows,argo-workflows-ends,one-sided}.test.ts']),
      contractsAfterwards('3.5'),
      contractsAfterwards('3.4'),
      { test: { ...onTestbed, name: 'real', include: ['test/real/**/*.test.ts'] } },
    ],
    // Each suite of test/real has a testbed of its own. Three beside each other use the time in which one waits.
    maxWorkers: 3,
    sequence: { sequencer: order },
    reporters: resultsFile === undefined ? ['default'] : ['default', ['json', { outputFile: resultsFile }]],
  },
});

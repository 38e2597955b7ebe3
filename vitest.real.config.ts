import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import type { ArgoCdLine } from './testbed/testbed.ts';

const resultsFile = process.env['TEST_RESULTS'];

/** Minutes that suites take, roughly; those that are not named take less than one. */
const minutes: Readonly<Record<string, number>> = {
  'bootstrap-broken': 9,
  'bootstrap-credentials': 6,
  'argo-workflows': 6,
  bootstrap: 5,
  resume: 5,
  image: 4,
  reference: 4,
  'testbed-itself': 4,
  rbac: 2,
  'testbed-empty': 2,
  teardown: 1,
  faults: 1,
  chart: 1,
};

function minutesOf({ moduleId }: TestSpecification): number {
  const name = /\/test\/real\/([^/]+)\.test\.ts$/.exec(moduleId)?.[1];
  return minutes[name ?? ''] ?? 0;
}

/** A long suite that is begun last would run alone, beside an idle core. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => minutesOf(b) - minutesOf(a));
  }
}

const onTestbed = { testTimeout: 120_000, hookTimeout: 120_000, pool: 'forks', maxConcurrency: 6 } as const;

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
    sequence: { sequencer: LongestFirst },
    reporters: resultsFile === undefined ? ['default'] : ['default', ['json', { outputFile: resultsFile }]],
  },
});

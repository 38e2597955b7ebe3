import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * An order in which what takes long begins first: begun last, it would run alone beside an idle core. `minutes` has what suites below
 * `test/` take, roughly; those that are not named take little.
 */
export function longestFirst(minutes: Readonly<Record<string, number>>): typeof BaseSequencer {
  function minutesOf({ moduleId }: TestSpecification): number {
    const name = /\/test\/(.+)\.test\.ts$/.exec(moduleId)?.[1];
    return minutes[name ?? ''] ?? 0;
  }

  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).sort((a, b) => minutesOf(b) - minutesOf(a));
    }
  };
}

import type { ArgoCdLine, Binaries } from '../testbed.ts';
import { buildAll } from './build-all.ts';
import { cacheFolder } from './cache-folder.ts';
import { givenPrograms } from './given-programs.ts';
import { linkFolder } from './link-folder.ts';
import { type Target, targetsFor } from './targets.ts';
import { verifyVersion } from './verify-version.ts';

export interface BinariesWanted {
  readonly argocd: ArgoCdLine;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Finds every program of a testbed: those of `TIPHYS_TESTBED_BIN`, or our own builds, which are made when there are none yet. */
export async function findBinaries({ argocd, env, report }: BinariesWanted): Promise<Binaries> {
  const targets = targetsFor(argocd);
  const cache = cacheFolder(env);
  const given = env['TIPHYS_TESTBED_BIN'];
  if (given === undefined || given === '') {
    const built = await buildAll({ targets, cache, env, report });
    return binaries(await linkFolder(cache, programsOf(targets, built)));
  }
  const programs = await givenPrograms(targets, given);
  const folder = await linkFolder(cache, programs);
  const there = targets.filter((target) => target.programs.every(({ name }) => programs.has(name)));
  await Promise.all(there.map((target) => verifyVersion(target, folder, env)));
  return binaries(folder);
}

function programsOf(targets: readonly Target[], built: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    targets.flatMap(({ name: target, binary, programs }) =>
      programs.map(({ name }): [string, string] => [name, `${built.get(target)}/${binary}`]),
    ),
  );
}

function binaries(folder: string): Binaries {
  return { folder, path: (name) => `${folder}/${name}` };
}

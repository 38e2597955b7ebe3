import { join } from 'node:path';
import type { Assets } from '../testbed.ts';
import { buildFolder } from './build-folder.ts';
import { cacheFolder } from './cache-folder.ts';
import { copyFiles } from './copy-files.ts';
import type { BinariesWanted } from './find-binaries.ts';
import { goVersion, requireGo } from './go-tool.ts';
import { moduleFolder } from './module-folder.ts';
import { isFolder, placeFolder } from './place-folder.ts';
import { versions } from './versions.ts';

/** Finds the files that come with the sources of the programs; what is not in the cache yet is fetched with Go, once. */
export async function findAssets({ argocd, env, report }: BinariesWanted): Promise<Assets> {
  const assets = `${cacheFolder(env)}/assets`;
  const definitions = argocdFiles(versions.argocd[argocd]);
  await fetchMissing([definitions, kwokFiles, workflowsFiles], { assets, env, report });
  return {
    argocdCrds: `${assets}/${nameOf(definitions)}/manifests/crds`,
    gitVerifyWrapper: argocd === '3.5' ? `${assets}/${nameOf(definitions)}/hack/git-verify-wrapper.sh` : undefined,
    kwokStages: `${assets}/${nameOf(kwokFiles)}/kustomize/stage/fast`,
    workflowsCrds: `${assets}/${nameOf(workflowsFiles)}/manifests/base/crds/minimal`,
  };
}

interface Wanted {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Files and folders of the module. */
  readonly paths: readonly string[];
}

function argocdFiles(version: string): Wanted {
  const script = version.startsWith('3.4.') ? [] : ['hack/git-verify-wrapper.sh'];
  const definitions = ['application', 'appproject', 'applicationset'].map((kind) => `manifests/crds/${kind}-crd.yaml`);
  return { name: 'argocd', module: 'github.com/argoproj/argo-cd/v3', version, paths: [...definitions, ...script] };
}

const kwokFiles: Wanted = {
  name: 'kwok',
  module: 'sigs.k8s.io/kwok',
  version: versions.kwok,
  // All of it, because `fast` is put together from its neighbours.
  paths: ['kustomize/stage'],
};

const workflowsFiles: Wanted = {
  name: 'workflows',
  module: 'github.com/argoproj/argo-workflows/v4',
  version: versions.workflows,
  paths: ['manifests/base/crds/minimal'],
};

interface Surroundings {
  readonly assets: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

async function fetchMissing(all: readonly Wanted[], { assets, env, report }: Surroundings): Promise<void> {
  const isThere = await Promise.all(all.map((each) => isFolder(`${assets}/${nameOf(each)}`)));
  const missing = all.filter((_, index) => !isThere[index]);
  if (missing.length === 0) return;
  const names = missing.map(nameOf).join(', ');
  requireGo(await goVersion(env, buildFolder()), { to: `fetch the files of ${names}` });
  report(`fetching the files of ${names}`);
  const results = await Promise.allSettled(missing.map((each) => fetchOne(each, `${assets}/${nameOf(each)}`, env)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function nameOf({ name, version }: Wanted): string {
  return `${name}-${version}`;
}

function fetchOne({ module, version, paths }: Wanted, place: string, env: NodeJS.ProcessEnv): Promise<string> {
  return placeFolder(place, async (draft) => {
    const source = await moduleFolder(module, version, env);
    for (const path of paths) await copyFiles(join(source, path), join(draft, path));
  });
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Assets } from '../testbed.ts';
import { buildFolder } from './build-folder.ts';
import { cacheFolder } from './cache-folder.ts';
import type { BinariesWanted } from './find-binaries.ts';
import { goVersion, requireGo } from './go-tool.ts';
import { moduleFolder } from './module-folder.ts';
import { isFolder, placeFolder } from './place-folder.ts';
import { versions } from './versions.ts';

/** Finds the files that come with the sources of the programs; what is not in the cache yet is fetched with Go, once. */
export async function findAssets({ argocd, env, report }: BinariesWanted): Promise<Assets> {
  const fetch = (wanted: Wanted) => fetchOnce(wanted, env, report);
  const [definitions, stages, workflows] = await Promise.all([
    fetch(argocdFiles(versions.argocd[argocd])),
    fetch(kwokFiles),
    fetch(workflowsFiles),
  ]);
  return {
    argocdCrds: `${definitions}/manifests/crds`,
    gitVerifyWrapper: argocd === '3.5' ? `${definitions}/hack/git-verify-wrapper.sh` : undefined,
    kwokStages: `${stages}/kustomize/stage/fast`,
    workflowsCrds: `${workflows}/manifests/base/crds/minimal`,
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

async function fetchOnce(wanted: Wanted, env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<string> {
  const { name, module, version, paths } = wanted;
  const place = `${cacheFolder(env)}/assets/${name}-${version}`;
  if (await isFolder(place)) return place;
  const go = await goVersion(env, buildFolder());
  requireGo(go, `fetch the files of ${name} ${version}`);
  report(`${name} ${version}: fetching its files`);
  return placeFolder(place, async (draft) => {
    const source = await moduleFolder(module, version, env);
    for (const path of paths) await copy(join(source, path), join(draft, path));
  });
}

// By hand, because the module cache is read-only, folders too, and its modes would come along.
async function copy(from: string, to: string): Promise<void> {
  if (await isFolder(from)) {
    for (const name of await readdir(from)) await copy(join(from, name), join(to, name));
    return;
  }
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, await readFile(from), { mode: to.endsWith('.sh') ? 0o755 : 0o644 });
}

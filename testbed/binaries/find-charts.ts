import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { buildFolder } from './build-folder.ts';
import { cacheFolder } from './cache-folder.ts';
import { copyFiles } from './copy-files.ts';
import type { BinariesWanted } from './find-binaries.ts';
import { goVersion, requireGo } from './go-tool.ts';
import { moduleFolder } from './module-folder.ts';
import { isFolder, placeFolder } from './place-folder.ts';
import { versions } from './versions.ts';

/** Finds the folder with the charts that fill an empty testbed, one folder each; what is not in the cache yet is fetched with Go, once. */
export async function findCharts({ env, report }: Pick<BinariesWanted, 'env' | 'report'>): Promise<string> {
  const { argoHelm, sealedSecrets } = versions;
  const place = `${cacheFolder(env)}/assets/charts-${argoHelm.slice(-12)}-${sealedSecrets}`;
  if (await isFolder(place)) return place;
  requireGo(await goVersion(env, buildFolder()), { to: 'fetch the charts of Argo and Sealed Secrets' });
  report('fetching the charts of Argo and Sealed Secrets');
  return placeFolder(place, async (draft) => {
    // One after the other: whoever fails must not leave another at work in a folder that is being removed.
    for (const source of sources) await takeCharts(source, draft, env);
    await withoutDependencies(join(draft, 'argo-cd'));
  });
}

interface Source {
  readonly module: string;
  readonly version: string;
  /** Where in the module its charts stand. */
  readonly folder: string;
  readonly charts: readonly string[];
}

const sources: readonly Source[] = [
  {
    module: 'github.com/argoproj/argo-helm',
    version: versions.argoHelm,
    folder: 'charts',
    charts: ['argo-cd', 'argo-workflows', 'argo-events'],
  },
  {
    module: 'github.com/bitnami-labs/sealed-secrets',
    version: versions.sealedSecrets,
    folder: 'helm',
    charts: ['sealed-secrets'],
  },
];

async function takeCharts(
  { module, version, folder, charts }: Source,
  draft: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const source = await moduleFolder(module, version, env);
  for (const chart of charts) await copyFiles(join(source, folder, chart), join(draft, chart));
}

/** Helm renders no chart whose dependencies are not beside it; the only one, a Redis of several, is off. */
async function withoutDependencies(chart: string): Promise<void> {
  const file = join(chart, 'Chart.yaml');
  const description = parseDocument(await readFile(file, 'utf8'));
  description.delete('dependencies');
  await writeFile(file, String(description));
  await rm(join(chart, 'Chart.lock'), { force: true });
}

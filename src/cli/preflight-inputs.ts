import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { readChartsLock } from '../core/bootstrap/charts-lock.ts';
import type { ClusterSnapshot } from '../core/preflight/cluster-snapshot.ts';
import type { ChartPlaces } from '../preflight/surroundings.ts';
import { findOwnFiles } from '../provision/own-files.ts';
import { ExitError, type Io } from './io.ts';

/** Where bootstrap would take its charts from: `--charts`, or the sources of bootstrap/charts.lock. */
export async function chartPlaces(io: Io, given: string | undefined): Promise<ChartPlaces> {
  if (given?.startsWith('oci://') === true) return { kind: 'sources', sources: [given] };
  const charts = await lockedCharts();
  if (given === undefined) {
    const sources = charts.map(({ source }) => ('oci' in source ? source.oci : source.repository));
    return { kind: 'sources', sources: [...new Set(sources)] };
  }
  const folder = resolve(io.cwd, given);
  const missing = charts
    .filter(({ name, version }) => {
      return ![`${name}/Chart.yaml`, `${name}-${version}.tgz`].some((file) => existsSync(join(folder, file)));
    })
    .map(({ name, version }) => `${name} ${version}`);
  return { kind: 'folder', folder, missing, wanted: charts.length };
}

async function lockedCharts() {
  const file = join(findOwnFiles().bootstrap, 'charts.lock');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const read = text === undefined ? { wrong: 'it cannot be read' } : readChartsLock(text);
  if ('charts' in read) return read.charts;
  throw new ExitError(3, `${file} is not a lock file: ${read.wrong}`, 'Take the file of this release again.');
}

/** PATH as bootstrap looks for Ansible: what `TIPHYS_ANSIBLE` names first, and last what an earlier bootstrap has made. */
export async function ansiblePath({ env, home }: Io): Promise<string> {
  const named = env['TIPHYS_ANSIBLE'] || undefined;
  const cache = env['XDG_CACHE_HOME'] || (home === undefined ? undefined : join(home, '.cache'));
  const folder = cache === undefined ? undefined : join(cache, 'tiphys');
  const made = folder === undefined ? [] : await readdir(folder).catch(() => []);
  const own = made.filter((name) => /^ansible-[0-9a-f]{16}$/.test(name)).map((name) => join(folder ?? '', name, 'bin'));
  return [...(named === undefined ? [] : [join(named, 'bin'), named]), env['PATH'] ?? '', ...own].join(delimiter);
}

/** The snapshot in an earlier report of `tiphys preflight -o json`. */
export async function earlierSnapshot(io: Io, file: string | undefined): Promise<ClusterSnapshot | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch(() => undefined);
  const snapshot = text === undefined ? undefined : snapshotIn(text);
  if (snapshot !== undefined) return snapshot;
  throw new ExitError(
    3,
    `${file} ${text === undefined ? 'cannot be read' : 'holds no snapshot of a cluster'}`,
    '--compare takes what `tiphys preflight <folder> -o json --out <file>` has written.',
  );
}

function snapshotIn(text: string): ClusterSnapshot | undefined {
  try {
    const { snapshot } = JSON.parse(text) as { snapshot?: ClusterSnapshot };
    return Array.isArray(snapshot?.objects) && Array.isArray(snapshot.unread) ? snapshot : undefined;
  } catch {
    return undefined;
  }
}

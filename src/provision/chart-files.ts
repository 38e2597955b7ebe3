import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { readTgz } from './read-tgz.ts';

/** A chart as far as it renders: what is used of it is exactly what its digest covers. */
export interface ChartFiles {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  /** By path, without Chart.yaml. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Reads a chart's folder: a checkout of its source, or an unpacked archive. Throws a sentence if it is none. */
export async function readChartFolder(folder: string): Promise<ChartFiles> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).replaceAll('\\', '/');
    if (path !== chartYaml && !counts(path)) continue;
    if (entry.isSymbolicLink()) throw new Error(`${path} is a link; a chart holds files`);
    if (entry.isFile()) files.set(path, await readFile(file));
  }
  return chartOf(files);
}

/** Reads a packed chart: `helm package` puts everything below its name. */
export function readChartArchive(archive: Uint8Array, name: string): ChartFiles {
  const inside = [...readTgz(archive)].filter(([path]) => path.startsWith(`${name}/`));
  return chartOf(new Map(inside.map(([path, content]) => [path.slice(name.length + 1), content])));
}

/** `sha256:` over name, versions and every file that renders, in the order of their paths; the same for folder, archive and checkout. */
export function chartDigest({ name, version, appVersion, files }: ChartFiles): string {
  const hash = createHash('sha256').update(`${name}\n${version}\n${appVersion}\n`);
  for (const [path, content] of inOrder(files)) hash.update(`${path}\n${content.length}\n`).update(content);
  return `sha256:${hash.digest('hex')}`;
}

/** Writes the chart anew, and nothing but what its digest covers: no sub-charts, no dependencies. */
export async function writeChart(folder: string, chart: ChartFiles): Promise<void> {
  const { name, version, appVersion, files } = chart;
  const all = new Map(files);
  // JSON is YAML.
  const about = JSON.stringify({ apiVersion: 'v2', type: 'application', name, version, appVersion }, undefined, 2);
  all.set(chartYaml, new TextEncoder().encode(`${about}\n`));
  for (const [path, content] of all) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

const chartYaml = 'Chart.yaml';

function counts(path: string): boolean {
  return /^(templates|crds|files|dashboards)\/|^values\.yaml$|^values\.schema\.json$/.test(path);
}

function chartOf(files: ReadonlyMap<string, Uint8Array>): ChartFiles {
  const about = files.get(chartYaml);
  if (about === undefined) throw new Error('it has no Chart.yaml');
  const { name, version, appVersion } = readAbout(new TextDecoder().decode(about));
  return { name, version, appVersion, files: new Map(inOrder(files).filter(([path]) => counts(path))) };
}

/** All values as text: `appVersion: 1.10` is no number. */
function readAbout(text: string): { name: string; version: string; appVersion: string } {
  const about: unknown = parse(text, { schema: 'failsafe' });
  const value = (key: string): string => {
    const found = typeof about === 'object' && about !== null ? Reflect.get(about, key) : undefined;
    return typeof found === 'string' ? found : '';
  };
  return { name: value('name'), version: value('version'), appVersion: value('appVersion') };
}

function inOrder(files: ReadonlyMap<string, Uint8Array>): readonly (readonly [string, Uint8Array])[] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LockedChart, readChartsLock } from '../core/bootstrap/charts-lock.ts';
import { OperatorError } from '../engine/operator-error.ts';
import { type ChartFiles, chartDigest, readChartArchive, readChartFolder, writeChart } from './chart-files.ts';
import type { Variables } from './program-environment.ts';
import { pullChart } from './pull-chart.ts';

export interface ChartsOrder {
  /** bootstrap/charts.lock. */
  readonly lock: string;
  /** A folder, or `oci://…`, a mirror; without it each chart comes from its own source. */
  readonly from: string | undefined;
  /** Where the verified charts go, each in a folder of its name. */
  readonly into: string;
  readonly helm: string;
  readonly env: Variables;
}

/** Brings the locked charts into one folder. A chart that is not there, or is another than the lock says, ends it (exit 3); all are told. */
export async function findCharts(order: ChartsOrder, signal: AbortSignal): Promise<void> {
  const charts = await lockedCharts(order.lock);
  const found = await Promise.all(charts.map((chart) => findOne(chart, order, signal)));
  const wrong = found.flatMap((result) => (typeof result === 'string' ? [result] : []));
  if (wrong.length > 0)
    throw new OperatorError(`charts are missing or not those of ${order.lock}\n${wrong.map(asItem).join('\n')}`, {
      hint: 'Give a folder with all of them, or a mirror, with --charts; docs/guides/air-gap.md says how to fill one.',
      exitCode: 3,
    });
  for (const chart of found) if (typeof chart !== 'string') await writeChart(join(order.into, chart.name), chart);
}

function asItem(sentence: string): string {
  return `  - ${sentence}`;
}

async function lockedCharts(file: string): Promise<readonly LockedChart[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const read = text === undefined ? { wrong: 'it cannot be read' } : readChartsLock(text);
  if ('charts' in read) return read.charts;
  throw new OperatorError(`${file} is not a lock file: ${read.wrong}`, {
    hint: 'Take the file of this release again.',
    exitCode: 3,
  });
}

/** The chart, or what is wrong with it in a sentence. */
async function findOne(chart: LockedChart, order: ChartsOrder, signal: AbortSignal): Promise<ChartFiles | string> {
  try {
    return verified(chart, await readOne(chart, order, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    return `${chart.name} ${chart.version}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function readOne(chart: LockedChart, order: ChartsOrder, signal: AbortSignal): Promise<ChartFiles> {
  const { from } = order;
  if (from === undefined || from.startsWith('oci://'))
    return readChartArchive(await pullChart(chart, order, signal), chart.name);
  const folder = join(from, chart.name);
  const archive = join(from, `${chart.name}-${chart.version}.tgz`);
  if (existsSync(join(folder, 'Chart.yaml'))) return readChartFolder(folder);
  if (existsSync(archive)) return readChartArchive(await readFile(archive), chart.name);
  throw new Error(`neither ${folder}/Chart.yaml nor ${archive} is there`);
}

function verified(chart: LockedChart, found: ChartFiles): ChartFiles {
  if (found.name !== chart.name || found.version !== chart.version)
    throw new Error(`what is there is ${found.name} ${found.version}`);
  const digest = chartDigest(found);
  if (digest !== chart.digest) throw new Error(`its digest is ${digest}, the lock wants ${chart.digest}`);
  return found;
}

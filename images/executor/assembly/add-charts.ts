import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findCharts } from '../../../src/provision/find-charts.ts';
import { findProgram } from './add-programs.ts';
import { here } from './contents.ts';
import type { Order } from './order.ts';

/** Puts the charts of bootstrap/charts.lock into the image, by the code that verifies them again when they are used. */
export async function addCharts(order: Order, folder: string): Promise<void> {
  const { charts: from, env, repository } = order;
  const into = join(folder, order.contents.tiphys.charts);
  await mkdir(into, { recursive: true });
  const isFolder = from !== undefined && !from.startsWith('oci://');
  order.report(isFolder ? `taking the charts of ${from}` : 'pulling the charts');
  // The image's own Helm may be for another machine.
  const helm = isFolder ? 'helm' : await findProgram(order, 'helm', here());
  const lock = join(repository, 'bootstrap/charts.lock');
  await findCharts({ lock, from, into, helm, env }, new AbortController().signal);
  for (const name of await readdir(into)) {
    if (name.startsWith('.')) await rm(join(into, name), { recursive: true });
  }
}

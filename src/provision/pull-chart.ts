import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../adapters/programs/run-program.ts';
import type { LockedChart } from '../core/bootstrap/charts-lock.ts';
import { lastWords } from './last-words.ts';
import { programEnvironment, type Variables } from './program-environment.ts';

export interface PullOrder {
  /** `oci://…` of a mirror that holds every chart by its name; without it the chart's own source. */
  readonly from: string | undefined;
  /** A folder to pull into. */
  readonly into: string;
  readonly helm: string;
  /** Registry credentials are Helm's own: whoever can `helm pull` can use this. */
  readonly env: Variables;
}

/** The archive of a chart through `helm pull`. Throws a sentence that ends with what Helm said. */
export async function pullChart(chart: LockedChart, order: PullOrder, signal: AbortSignal): Promise<Uint8Array> {
  const folder = await mkdtemp(join(order.into, `.pull-${chart.name}-`));
  const where = placeOf(chart, order.from);
  const end = await runProgram({
    command: order.helm,
    args: ['pull', ...where.words, '--version', chart.version, '--destination', folder],
    env: programEnvironment(order.env),
    deadlineMs: pullMs,
    signal,
  });
  if (end.because === 'not-found' || end.because === 'not-executable')
    throw new Error(`helm is not there to pull it from ${where.name}`);
  if (end.because === 'deadline') throw new Error(`no answer from ${where.name} within ${pullMs / 60_000} minutes`);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (end.code !== 0 || archive === undefined)
    throw new Error(`could not be pulled from ${where.name}: ${lastWords(end.err, end.out)}`);
  return readFile(join(folder, archive));
}

const pullMs = 5 * 60_000;

function placeOf(
  chart: LockedChart,
  mirror: string | undefined,
): { readonly name: string; readonly words: readonly string[] } {
  const registry = mirror ?? ('oci' in chart.source ? chart.source.oci : undefined);
  if (registry !== undefined) {
    const name = `${registry.replace(/\/+$/, '')}/${chart.name}`;
    return { name, words: [name] };
  }
  const repository = 'repository' in chart.source ? chart.source.repository : '';
  return { name: repository, words: [chart.name, '--repo', repository] };
}

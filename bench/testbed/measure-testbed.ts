import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bed, emptyBed, forgetBed } from './bed.ts';
import { type Case, cases, methods } from './cases.ts';
import { type Measurement, measureOnce } from './measure-once.ts';
import { goalsOf, page } from './page.ts';
import type { Results } from './results.ts';
import { measureScale, sizes } from './scale.ts';

export interface TestbedBench {
  /** The clone, with a slash at the end. */
  readonly root: string;
  /** Where the bundled floor is. */
  readonly built: string;
  readonly args: readonly string[];
}

/** Measures everything, or the named cases. The table is written only when all of it was measured. */
export async function measureTestbed({ root, built, args }: TestbedBench): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { runs: { type: 'string', default: '3' }, continue: { type: 'boolean', default: false } },
  });
  const names = [...cases.map(({ name }) => name), 'scale'];
  const unknown = positionals.filter((name) => !names.includes(name));
  const runs = Number(values.runs);
  if (unknown.length > 0 || !(runs >= 1)) {
    console.error(`usage: npm run bench:testbed -- [--runs n] [--continue] [${names.join('|')}] …`);
    return 3;
  }
  const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const notes = notebook(join(built, 'measured.json'), { runs, goesOn: values.continue });
  try {
    for (const bench of cases) if (wanted(bench.name)) await measureCase(bench, { runs, built, notes });
    if (wanted('scale')) await measureSizes(built, notes);
  } finally {
    await forgetBed();
  }
  const results = notes.read();
  const text = page(results);
  console.log(text);
  if (positionals.length === 0) writeFileSync(join(root, 'bench/TESTBED.md'), text);
  return goalsOf(results).some(({ met }) => met === false) ? 1 : 0;
}

interface Notebook {
  read(): Results;
  add(more: Partial<Pick<Results, 'measurements' | 'scale' | 'argocd'>>): void;
}

/** Every figure is kept at once, so that a run that was broken off can go on. */
function notebook(file: string, { runs, goesOn }: { runs: number; goesOn: boolean }): Notebook {
  const read = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;
  const write = (results: Results): void => writeFileSync(file, JSON.stringify(results));
  if (!goesOn) write({ runs, load: loadavg()[0] ?? 0, argocd: '', measurements: [], scale: [] });
  return {
    read,
    add({ measurements = [], scale = [], argocd }) {
      const known = read();
      write({
        ...known,
        measurements: [...known.measurements, ...measurements],
        scale: [...known.scale, ...scale],
        argocd: argocd ?? known.argocd,
      });
    },
  };
}

interface CaseOrder {
  readonly runs: number;
  readonly built: string;
  readonly notes: Notebook;
}

async function measureCase(bench: Case, { runs, built, notes }: CaseOrder): Promise<void> {
  for (let round = 0; round < runs; round++) {
    let bed: Bed | undefined;
    // Who comes first in a round comes later in the next: none is always the one on the emptiest cluster.
    const order = methods.map((_, index) => methods[(index + round) % methods.length] ?? 'floor');
    for (const method of order) {
      if (done(notes.read(), bench, method) > round) continue;
      if (bed === undefined || bench.needsEmptyCluster) {
        bed?.close();
        bed = await emptyBed();
      } else await bed.clear();
      const prefix = `${bench.name.slice(0, 1)}${method.slice(0, 1)}${round}`;
      const measured = await measureOnce(bed, { bench, method, prefix, built });
      notes.add({ measurements: [measured], argocd: bed.state.argocd });
      tell(round, measured);
    }
    bed?.close();
  }
}

function done({ measurements }: Results, bench: Case, method: string): number {
  return measurements.filter((one) => one.case === bench.name && one.method === method).length;
}

function tell(round: number, { case: name, method, makespanMs, broken }: Measurement): void {
  const edges = broken.length === 0 ? '' : `, ${broken.length} edges broken`;
  console.error(
    `${new Date().toISOString().slice(11, 19)} ${name} ${round + 1} ${method}: ${(makespanMs / 1000).toFixed(1)} s${edges}`,
  );
}

async function measureSizes(built: string, notes: Notebook): Promise<void> {
  for (const apps of sizes) {
    if (notes.read().scale.some((one) => one.apps === apps)) continue;
    const measured = await measureScale(apps, built);
    notes.add({ scale: [measured] });
    const { wallMs, requests, peakMegabytes } = measured;
    console.error(
      `${apps} apps: ${(wallMs / 1000).toFixed(1)} s, ${requests} requests, ${Math.round(peakMegabytes)} MB`,
    );
  }
}

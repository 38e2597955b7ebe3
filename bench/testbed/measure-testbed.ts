import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bed, emptyBed, forgetBed } from './bed.ts';
import { type Case, cases, type Method, methods } from './cases.ts';
import { goalsOf } from './goals.ts';
import { type Measurement, measureOnce } from './measure-once.ts';
import { page } from './page.ts';
import type { Results } from './results.ts';
import { measureScale, sizes } from './scale.ts';

export interface TestbedBench {
  /** The clone, with a slash at the end. */
  readonly root: string;
  /** Where the bundled floor is. */
  readonly built: string;
  readonly args: readonly string[];
}

/** Measures everything, or the named cases. The table is written when all of it was measured, or to where one is told. */
export async function measureTestbed({ root, built, args }: TestbedBench): Promise<number> {
  const order = orderOf(args);
  if (order === undefined) return 3;
  const { runs, goesOn, page: file } = order;
  const notes = notebook(join(built, 'measured.json'), { runs, goesOn });
  try {
    for (const bench of order.cases) await measureCase(bench, { ...order, built, notes });
    await measureSizes(order.sizes, built, notes);
  } finally {
    await forgetBed();
  }
  const results = notes.read();
  const text = page(results, commandOf(args));
  console.log(text);
  if (file !== undefined) writeFileSync(resolve(root, file), text);
  return goalsOf(results).some(({ met }) => met === false) ? 1 : 0;
}

interface Order {
  readonly runs: number;
  readonly goesOn: boolean;
  readonly cases: readonly Case[];
  readonly methods: readonly Method[];
  readonly sizes: readonly number[];
  /** Where the table goes; undefined when something was left out and nobody has said. */
  readonly page: string | undefined;
}

/** For whoever reads the table and wants to make it again. */
function commandOf(args: readonly string[]): string {
  const words = args.filter((word) => word !== '--continue');
  return ['npm run bench:testbed', ...(words.length === 0 ? [] : ['--', ...words])].join(' ');
}

const wholePage = 'bench/TESTBED.md';

const list = { type: 'string', multiple: true } as const;

function orderOf(args: readonly string[]): Order | undefined {
  const { values, positionals: wanted } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      continue: { type: 'boolean', default: false },
      method: list,
      size: list,
      out: { type: 'string' },
    },
  });
  const names = [...cases.map(({ name }) => name), 'scale'];
  const asked = values.method ?? [];
  const isKnown = wanted.every((name) => names.includes(name)) && asked.every((name) => isOneOf(methods, name));
  const runs = Number(values.runs);
  if (!isKnown || !(runs >= 1)) {
    const options = `[--runs n] [--continue] [--method ${methods.join('|')}] … [--size n] … [--out file]`;
    console.error(`usage: npm run bench:testbed -- ${options} [${names.join('|')}] …`);
    return undefined;
  }
  return {
    runs,
    goesOn: values.continue,
    cases: cases.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    methods: methods.filter((method) => asked.length === 0 || asked.includes(method)),
    sizes: wanted.length > 0 && !wanted.includes('scale') ? [] : (values.size?.map(Number) ?? sizes),
    page: values.out ?? (wanted.length + asked.length + (values.size ?? []).length === 0 ? wholePage : undefined),
  };
}

function isOneOf(known: readonly string[], name: string): boolean {
  return known.includes(name);
}

interface Notebook {
  read(): Results;
  add(more: Partial<Pick<Results, 'measurements' | 'scale' | 'argocd' | 'repeated'>>): void;
}

/** Every figure is kept at once, so that a run that was broken off can go on. */
function notebook(file: string, { runs, goesOn }: { runs: number; goesOn: boolean }): Notebook {
  const read = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;
  if (goesOn && !('repeated' in read())) throw new Error(`${file} was measured by an older benchmark: begin anew`);
  const write = (results: Results): void => writeFileSync(file, JSON.stringify(results));
  if (!goesOn) write({ runs, load: loadavg()[0] ?? 0, argocd: '', measurements: [], scale: [], repeated: [] });
  return {
    read,
    add({ measurements = [], scale = [], repeated = [], argocd }) {
      const known = read();
      write({
        ...known,
        measurements: [...known.measurements, ...measurements],
        scale: [...known.scale, ...scale],
        repeated: [...known.repeated, ...repeated],
        argocd: argocd ?? known.argocd,
      });
    },
  };
}

interface CaseOrder {
  readonly runs: number;
  readonly methods: readonly Method[];
  readonly built: string;
  readonly notes: Notebook;
}

async function measureCase(bench: Case, { runs, methods: all, built, notes }: CaseOrder): Promise<void> {
  const ground = groundFor(bench);
  for (let round = 0; round < runs; round++) {
    // Who comes first in a round comes later in the next: none is always the one on the emptiest cluster.
    const first = round % all.length;
    for (const method of [...all.slice(first), ...all.slice(0, first)]) {
      if (done(notes.read(), bench, method) > round) continue;
      const prefix = `${bench.name.slice(0, 1)}${method.slice(0, 1)}${round}`;
      const once = async (bed: Bed): Promise<Measurement> => measureOnce(bed, { bench, method, prefix, built });
      const measured = await once(await ground.next()).catch(async (error: unknown) => {
        const failed = `${bench.name} ${round + 1} ${method}: ${firstLine(error)}`;
        console.error(`${failed}; once more`);
        notes.add({ repeated: [failed] });
        return once(await ground.anew());
      });
      notes.add({ measurements: [measured], argocd: (await ground.same()).state.argocd });
      tell(round, measured);
    }
    ground.leave();
  }
}

function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? '';
}

interface Ground {
  /** A cluster for the next run: an empty one, or the same without its Applications where that is enough. */
  next(): Promise<Bed>;
  anew(): Promise<Bed>;
  same(): Promise<Bed>;
  leave(): void;
}

function groundFor({ needsEmptyCluster }: Case): Ground {
  let bed: Bed | undefined;
  const leave = (): void => {
    bed?.close();
    bed = undefined;
  };
  const same = async (): Promise<Bed> => {
    bed ??= await emptyBed();
    return bed;
  };
  const anew = (): Promise<Bed> => {
    leave();
    return same();
  };
  const next = async (): Promise<Bed> => {
    if (bed === undefined || needsEmptyCluster) return anew();
    await bed.clear();
    return bed;
  };
  return { next, anew, same, leave };
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

async function measureSizes(wanted: readonly number[], built: string, notes: Notebook): Promise<void> {
  for (const apps of wanted) {
    if (notes.read().scale.some((one) => one.apps === apps)) continue;
    const measured = await measureScale(apps, built);
    notes.add({ scale: [measured], argocd: measured.argocd });
    const { wallMs, requests, peakMegabytes } = measured;
    console.error(
      `${apps} apps: ${(wallMs / 1000).toFixed(1)} s, ${requests} requests, ${Math.round(peakMegabytes)} MB`,
    );
  }
}

import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bed, emptyBed, forgetBed } from './bed.ts';
import type { Case } from './cases.ts';
import { startBenchAgent } from './engines-agent.ts';
import { runNaive } from './engines-naive.ts';
import {
  type EngineMeasurement,
  type EngineName,
  type EngineResults,
  engineCases,
  engineGoals,
  enginesPage,
} from './engines-page.ts';
import { measureOnce } from './measure-once.ts';
import { type ExecutorRun, runTiphys } from './run-executor.ts';

interface Engine {
  readonly name: EngineName;
  /** The setting of the controller that decides what a hop costs. */
  readonly requeue: string;
  /** Cases it can do. */
  readonly cases: readonly string[];
  /** As often as told unless it has a number of its own. */
  readonly rounds?: number;
}

const all = engineCases.map(({ name }) => name);

const engines: readonly Engine[] = [
  { name: 'embedded', requeue: '100ms', cases: all },
  { name: 'argo-workflows', requeue: '100ms', cases: all },
  // It knows neither parents nor parts, so it can only do apps that are in the cluster already.
  // Five minutes each, nearly all of them sleep, which is the same every time: once is enough.
  { name: 'naive', requeue: '10s', cases: ['chain'], rounds: 1 },
];

/** Measures every engine on every case that it can do. The table is written only when all of it was measured. */
export async function measureEngines({ root, args }: { root: string; args: readonly string[] }): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { runs: { type: 'string', default: '3' } },
  });
  const runs = Number(values.runs);
  if (!positionals.every((name) => all.includes(name)) || !(runs >= 1)) {
    console.error(`usage: npm run bench:engines -- [--runs n] [${all.join('|')}] …`);
    return 3;
  }
  const wanted = positionals.length === 0 ? all : positionals;
  const load = loadavg()[0] ?? 0;
  const measurements: EngineMeasurement[] = [];
  try {
    for (const bench of engineCases.filter(({ name }) => wanted.includes(name))) {
      for (let round = 0; round < runs; round++) measurements.push(...(await measureRound(bench, round)));
    }
  } finally {
    await forgetBed();
  }
  const results: EngineResults = { runs, load, measurements };
  const text = enginesPage(results);
  console.log(text);
  if (positionals.length === 0) writeFileSync(join(root, 'bench/ENGINES.md'), text);
  return engineGoals(results).some(({ met }) => met === false) ? 1 : 0;
}

/** Each engine on an empty cluster of its own. */
async function measureRound(bench: Case, round: number): Promise<EngineMeasurement[]> {
  const measured: EngineMeasurement[] = [];
  const able = engines.filter(({ cases: known, rounds = round + 1 }) => known.includes(bench.name) && round < rounds);
  for (const engine of able) {
    const bed = await emptyBed(engine.requeue);
    try {
      const one = await measureEngine(bed, { bench, engine, round });
      console.error(`${bench.name} ${round + 1} ${engine.name}: ${(one.makespanMs / 1000).toFixed(1)} s`);
      measured.push(one);
    } finally {
      bed.close();
    }
  }
  return measured;
}

async function measureEngine(
  bed: Bed,
  { bench, engine, round }: { bench: Case; engine: Engine; round: number },
): Promise<EngineMeasurement> {
  const prefix = `e${engine.name.slice(0, 1)}${round}`;
  const since = Date.now();
  const cpuBefore = bed.cpuMs().workflows;
  const run = (order: Parameters<typeof runTiphys>[0]): Promise<ExecutorRun> => runBy(bed, engine.name, order);
  const measured = await measureOnce(bed, { bench, method: 'tiphys', prefix, built: '', run });
  const writes = (await bed.audit(since)).filter(({ user }) => user === 'system:workflows');
  return {
    ...measured,
    engine: engine.name,
    workflowsCpuMs: bed.cpuMs().workflows - cpuBefore,
    workflowsWrites: writes.length,
  };
}

async function runBy(bed: Bed, engine: EngineName, order: Parameters<typeof runTiphys>[0]): Promise<ExecutorRun> {
  if (engine === 'embedded') return runTiphys(order);
  if (engine === 'naive') return runNaive(bed, order.folder);
  const agent = await startBenchAgent(bed.state);
  const run = await runTiphys({ ...order, words: ['--engine', 'argo-workflows'] });
  const { cpuMs, requests } = await agent.stop();
  return { ...run, cpuMs: run.cpuMs + cpuMs, requests: run.requests + requests };
}

import { availableParallelism } from 'node:os';
import { type Figure, goalTable, judged, markdownTable, median, quantile, seconds, times } from '../figure.ts';
import { type Case, calmReference, cases } from './cases.ts';
import type { Measurement } from './measure-once.ts';

export type EngineName = 'embedded' | 'argo-workflows' | 'naive';

export interface EngineMeasurement extends Measurement {
  readonly engine: EngineName;
  readonly workflowsCpuMs: number;
  readonly workflowsWrites: number;
}

export interface EngineResults {
  readonly runs: number;
  /** Load average of the machine when it began. */
  readonly load: number;
  readonly measurements: readonly EngineMeasurement[];
}

export const engineCases: readonly Case[] = [...cases.filter(({ name }) => name === 'chain'), calmReference];

const titles: Readonly<Record<EngineName, string>> = {
  embedded: 'embedded: the executor walks the plan',
  'argo-workflows': 'argo-workflows: one Workflow, our agent, requeue 100 ms',
  naive: 'naive: one Workflow whose tasks poll, requeue 10 s',
};

/** The page with all tables. */
export function enginesPage(results: EngineResults): string {
  const measured = engineCases.filter(({ name }) => results.measurements.some((one) => one.case === name));
  return `# The engines beside each other

Written by \`npm run bench:engines\` on the testbed (real Argo CD and Argo Workflows 4.1), Node ${process.versions.node}, ${availableParallelism()} cores, load average ${results.load.toFixed(1)} when it began.
Every case ran ${results.runs === 1 ? 'once' : `${results.runs} times`}, each engine on an empty cluster; a value is the median. The naive engine ran once: nearly all of its time is sleep.

## Goals

${goalTable(engineGoals(results))}

${measured.map(({ name, title }) => `## ${title}\n\n${caseTable(name, results)}`).join('\n\n')}

${explanations}`;
}

/** Every goal, and whether it was met. */
export function engineGoals({ measurements }: EngineResults): Figure[] {
  return engineCases.flatMap(({ name, title }) => {
    const own = measurements.filter((one) => one.case === name && one.engine === 'argo-workflows');
    if (own.length === 0) return [];
    const hops = own.flatMap(({ hopsMs }) => hopsMs);
    const path = own.map(({ makespanMs, criticalWithWindowsMs }) => makespanMs / criticalWithWindowsMs);
    const broken = own.reduce((sum, one) => sum + one.broken.length, 0);
    return [
      judged(`${title}: hop p50 with the agent`, quantile(hops, 0.5) / 1000, ['≤', 0.6], seconds),
      judged(`${title}: hop p99 with the agent`, quantile(hops, 0.99) / 1000, ['≤', 1.5], seconds),
      judged(`${title}: edges broken`, broken, ['≤', 0], String),
      ...(name === calmReference.name
        ? [judged(`${title}: makespan ÷ critical path`, median(path), ['≤', 1.1], times)]
        : []),
    ];
  });
}

function caseTable(name: string, { measurements }: EngineResults): string {
  const here = measurements.filter((one) => one.case === name);
  const engines = [...new Set(here.map(({ engine }) => engine))];
  const head = [
    '',
    'makespan',
    '÷ critical path',
    'hop p50 / p99',
    'edges broken',
    'CPU executor and agent',
    'CPU Workflows controller',
    'requests per app',
    'controller’s writes per app',
  ];
  return markdownTable(
    head,
    engines.map((engine) => [titles[engine], ...cellsOf(here.filter((one) => one.engine === engine))]),
  );
}

function cellsOf(all: readonly EngineMeasurement[]): string[] {
  const hops = all.flatMap(({ hopsMs }) => hopsMs);
  const middle = (value: (one: EngineMeasurement) => number): number => median(all.map(value));
  return [
    seconds(middle(({ makespanMs }) => makespanMs) / 1000),
    times(middle(({ makespanMs, criticalWithWindowsMs }) => makespanMs / criticalWithWindowsMs)),
    `${seconds(quantile(hops, 0.5) / 1000)} / ${seconds(quantile(hops, 0.99) / 1000)}`,
    all.map(({ broken }) => broken.length).join(' + '),
    seconds(middle(({ executor }) => executor?.cpuMs ?? 0) / 1000),
    seconds(middle(({ workflowsCpuMs }) => workflowsCpuMs) / 1000),
    middle(({ executor, apps }) => (executor?.requests ?? 0) / apps).toFixed(1),
    middle(({ workflowsWrites, apps }) => workflowsWrites / apps).toFixed(1),
  ];
}

const explanations = `## How it is measured

As in [TESTBED.md](TESTBED.md), by the API server's audit log: **hop** is the time from the record of the last need as Synced and Healthy, plus its stability window, to the first request made for the dependent (of Vault, from when it was unsealed);
**critical path** counts those windows, too. With a Workflow a hop holds two requeues of the controller. The naive engine keeps no windows, hold, lease or evidence, and can do only apps that are in the cluster already.
**requests** are those of executor and agent together, **writes** those of the Workflows controller.
`;

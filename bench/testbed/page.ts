import { availableParallelism } from 'node:os';
import { goalTable, markdownTable, median, quantile, seconds, times } from '../figure.ts';
import { type Case, cases, type Method, methods } from './cases.ts';
import { goalsOf } from './goals.ts';
import { howMeasured, whereItGoes } from './how-measured.ts';
import type { Measurement } from './measure-once.ts';
import { type Results, runsOf, spanOf } from './results.ts';
import type { ScaleMeasurement } from './scale.ts';

const titles: Readonly<Record<Method, string>> = {
  floor: '(a) floor: a bare loop',
  tiphys: '(b) Tiphys',
  'rolling-sync': '(c) ApplicationSet with RollingSync',
  waves: '(d) app of apps with sync waves',
};

/** The page with all tables. */
export function page(results: Results, command: string): string {
  const measured = cases.filter(({ name }) => results.measurements.some((one) => one.case === name));
  return `# Beside others, on a real Argo CD

Written by \`${command}\`. Argo CD ${results.argocd} on the testbed, Node ${process.versions.node}, ${availableParallelism()} cores, load average ${results.load.toFixed(1)} when it began.
Everything shares these cores: etcd, API server, Argo CD, kwok and the executor.${measured.length === 0 ? '' : caseWords(results)}

## Goals

${goalTable(goalsOf(results))}
${measured.length === 0 ? '' : caseSections(measured, results)}${results.scale.length === 0 ? '' : `\n## Many Applications\n\n${scaleTable(results.scale)}\n`}
${howMeasured}`;
}

function caseWords({ runs, repeated }: Results): string {
  const again = repeated.length === 0 ? 'No run failed' : `Failed and made once more: ${repeated.join('; ')}`;
  return ` Every case ran ${runs === 1 ? 'once' : `${runs} times`}, the methods in turn within each round; a value is the median, in
brackets the smallest and the largest. ${again}.`;
}

function caseSections(measured: readonly Case[], results: Results): string {
  return `
${measured.map((bench) => caseSection(bench, results)).join('\n\n')}

## Where the time goes

Along the chain of needs that ended last, in the run with the median makespan, in seconds; the last column follows the makespan.

${whereTable(measured, results)}

${whereItGoes}
`;
}

const columns = [
  '',
  'makespan',
  '÷ floor',
  '÷ critical path',
  'hop p50 / p99',
  'to its own operation p50 / p99',
  'edges broken',
  'process',
  'its CPU',
  'CPU API server',
  'CPU Argo CD controller',
  'requests per app',
];

function caseSection({ name, title }: Case, results: Results): string {
  const present = methods.filter((method) => runsOf(results, name, method).length > 0);
  const rows = present.map((method) => [
    titles[method],
    ...cellsOf(runsOf(results, name, method), spanOf(results, name, 'floor')),
  ]);
  const words = [...slowestOf(name, results), ...brokenOf(name, results)];
  return [`## ${title}`, '', markdownTable(columns, rows), ...(words.length === 0 ? [] : ['', ...words])].join('\n');
}

function cellsOf(all: readonly Measurement[], floorMs: number): string[] {
  const executors = all.flatMap(({ executor, apps }) => (executor === undefined ? [] : [{ ...executor, apps }]));
  const middle = <T>(of: readonly T[], value: (one: T) => number): number => median(of.map(value));
  const own = (text: () => string): string => (executors.length === 0 ? '–' : text());
  return [
    spread(all.map(({ makespanMs }) => makespanMs)),
    times(middle(all, ({ makespanMs }) => makespanMs) / floorMs),
    times(middle(all, ({ makespanMs, criticalMs }) => makespanMs / criticalMs)),
    halfAndMost(all.flatMap(({ hopsMs }) => hopsMs)),
    halfAndMost(all.flatMap(({ toOperationMs }) => toOperationMs)),
    all.map(({ broken }) => broken.length).join(' + '),
    own(() => seconds(middle(executors, ({ wallMs }) => wallMs) / 1000)),
    own(() => seconds(middle(executors, ({ cpuMs }) => cpuMs) / 1000)),
    seconds(middle(all, ({ apiCpuMs }) => apiCpuMs) / 1000),
    seconds(middle(all, ({ controllerCpuMs }) => controllerCpuMs) / 1000),
    own(() => middle(executors, ({ requests, apps }) => requests / apps).toFixed(1)),
  ];
}

function halfAndMost(values: readonly number[]): string {
  return `${seconds(quantile(values, 0.5) / 1000)} / ${seconds(quantile(values, 0.99) / 1000)}`;
}

/** So that a goal that was missed says where. */
function slowestOf(name: string, results: Results): string[] {
  const all = runsOf(results, name, 'tiphys').flatMap(({ slowest }) => slowest);
  const three = all.sort((a, b) => b.ms - a.ms).slice(0, 3);
  const words = three.map(({ need, node, ms }) => `${need} → ${node} ${seconds(ms / 1000)}`);
  return words.length === 0 ? [] : [`Slowest hops of ${titles.tiphys}: ${words.join(', ')}.`];
}

function brokenOf(name: string, results: Results): string[] {
  return methods.flatMap((method) => {
    const edges = [...new Set(runsOf(results, name, method).flatMap(({ broken }) => broken))];
    const more = edges.length > 3 ? ` and ${edges.length - 3} more` : '';
    return edges.length === 0 ? [] : [`Broken by ${titles[method]}: ${edges.slice(0, 3).join('; ')}${more}.`];
  });
}

const parts: readonly (readonly [string, (run: Measurement) => number | undefined])[] = [
  ['until the first request', ({ where }) => where.start],
  ['creating Applications', ({ where }) => where.creation],
  ['operations', ({ where }) => where.operations],
  ['from Succeeded to Healthy', ({ where }) => where.health],
  ['stability windows', ({ where }) => where.windows],
  ['hops', ({ where }) => where.hops],
  ['then, until the process ended', ({ executor, makespanMs }) => executor && executor.wallMs - makespanMs],
];

function whereTable(measured: readonly Case[], results: Results): string {
  const rows = measured.flatMap(({ name, title }) => {
    const runs = methods.flatMap((method) => {
      const run = medianRun(runsOf(results, name, method));
      return run === undefined ? [] : [[method, run] as const];
    });
    const of = new Map(runs);
    const [floor, own] = [of.get('floor'), of.get('tiphys')];
    const more = floor && own && parts.map(([, part]) => tenths((part(own) ?? 0) - (part(floor) ?? 0)));
    return [
      ...runs.map(([method, run]) => [title, titles[method], ...parts.map(([, part]) => tenths(part(run)))]),
      ...(more === undefined ? [] : [[title, '(b) − (a)', ...more]]),
    ];
  });
  return markdownTable(['', '', ...parts.map(([words]) => words)], rows);
}

function tenths(ms: number | undefined): string {
  // Without the zero a little less than nothing would be written as -0.0.
  return ms === undefined ? '–' : ((Math.round(ms / 100) || 0) / 10).toFixed(1);
}

/** One run, so that its parts belong together. */
function medianRun(all: readonly Measurement[]): Measurement | undefined {
  const middle = median(all.map(({ makespanMs }) => makespanMs));
  return all.find(({ makespanMs }) => makespanMs === middle);
}

function scaleTable(scale: readonly ScaleMeasurement[]): string {
  const head = [
    'apps',
    'process',
    'peak memory (RSS)',
    'its CPU',
    'requests',
    'requests per app',
    'CPU API server',
    'CPU Argo CD controller',
    'edges broken',
  ];
  const rows = scale.map(({ apps, wallMs, peakMegabytes, cpuMs, requests, apiCpuMs, controllerCpuMs, broken }) => [
    String(apps),
    seconds(wallMs / 1000),
    `${Math.round(peakMegabytes)} MB`,
    seconds(cpuMs / 1000),
    String(requests),
    (requests / apps).toFixed(1),
    seconds(apiCpuMs / 1000),
    seconds(controllerCpuMs / 1000),
    String(broken),
  ]);
  return markdownTable(head, rows);
}

function spread(values: readonly number[]): string {
  const text = (ms: number): string => (ms / 1000).toFixed(1);
  return `${text(median(values))} s (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

import { availableParallelism } from 'node:os';
import { type Figure, judged, median, quantile, seconds } from '../figure.ts';
import { resyncSeconds, usualResyncSeconds } from './bed.ts';
import { type Case, cases, type Method, methods } from './cases.ts';
import type { Where } from './judge.ts';
import type { Measurement } from './measure-once.ts';
import type { Results } from './results.ts';
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

${figureTable(goalsOf(results))}
${measured.length === 0 ? '' : caseSections(measured, results)}${results.scale.length === 0 ? '' : `\n## Many Applications\n\n${scaleTable(results.scale)}\n`}
${explanations}`;
}

function caseWords({ runs }: Results): string {
  return ` Every case ran ${runs} times, the methods in turn within each round; a value is the median, in
brackets the smallest and the largest.`;
}

function caseSections(measured: readonly Case[], results: Results): string {
  return `
${measured.map((bench) => caseSection(bench, results)).join('\n\n')}

## Where the time goes

Along the chain of needs that ended last, median of all runs, in seconds.

${whereTable(measured, results)}
`;
}

/** Every goal, and whether it was met. */
export function goalsOf(results: Results): Figure[] {
  const present = cases.filter(({ name }) => of(results, name, 'tiphys').length > 0);
  return [
    ...ratioGoals(results, present),
    ...present.flatMap((bench) => caseGoals(bench, results)),
    ...scaleGoals(results.scale),
  ];
}

function ratioGoals(results: Results, present: readonly Case[]): Figure[] {
  const limits: Readonly<Record<string, number>> = { chain: 1.2, reference: 1.15 };
  return present.flatMap(({ name, title }) => {
    const limit = limits[name];
    if (limit === undefined || of(results, name, 'floor').length === 0) return [];
    return [
      judged(
        `${title}: Tiphys ÷ floor`,
        spanOf(results, name, 'tiphys') / spanOf(results, name, 'floor'),
        ['≤', limit],
        times,
      ),
    ];
  });
}

function caseGoals({ name, title }: Case, results: Results): Figure[] {
  const own = of(results, name, 'tiphys');
  const hops = own.flatMap(({ hopsMs }) => hopsMs);
  const rivals = (['rolling-sync', 'waves'] as const).filter((method) => of(results, name, method).length > 0);
  const best = Math.min(...rivals.map((method) => spanOf(results, name, method)));
  const path = own.map(({ makespanMs, criticalWithWindowsMs }) => makespanMs / criticalWithWindowsMs);
  return [
    judged(
      `${title}: hop p99 beyond the stability window, ${hops.length} hops`,
      quantile(hops, 0.99) / 1000,
      ['≤', 0.25],
      seconds,
    ),
    judged(
      `${title}: edges broken by Tiphys`,
      own.reduce((sum, { broken }) => sum + broken.length, 0),
      ['≤', 0],
      String,
    ),
    ...(rivals.length === 0
      ? []
      : [
          judged(
            `${title}: Tiphys against the better of (c) and (d)`,
            spanOf(results, name, 'tiphys') / 1000,
            ['<', best / 1000],
            seconds,
          ),
        ]),
    ...(name.endsWith('-delays')
      ? [
          judged(
            `${title}: makespan ÷ critical path, stability windows counted to the path`,
            median(path),
            ['≤', 1.05],
            // So close to its goal that two digits would hide on which side it is.
            (value) => `${value.toFixed(3)} ×`,
          ),
        ]
      : []),
  ];
}

function scaleGoals(scale: readonly ScaleMeasurement[]): Figure[] {
  const [first, last] = [scale[0], scale.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const growth = last.apps / first.apps;
  const perApp = last.requests / last.apps / (first.requests / first.apps);
  return [
    judged(`${last.apps} apps: requests for each app against ${first.apps} apps`, perApp, ['≤', 1.2], times),
    judged(
      `${last.apps} apps: peak memory against ${first.apps} apps`,
      last.peakMegabytes / first.peakMegabytes,
      ['≤', growth],
      times,
    ),
  ];
}

function caseSection({ name, title }: Case, results: Results): string {
  const floor = spanOf(results, name, 'floor');
  const rows = methods
    .filter((method) => of(results, name, method).length > 0)
    .map((method) => {
      const all = of(results, name, method);
      const hops = all.flatMap(({ hopsMs }) => hopsMs);
      const executors = all.flatMap(({ executor }) => executor ?? []);
      return row([
        titles[method],
        spread(all.map(({ makespanMs }) => makespanMs)),
        times(spanOf(results, name, method) / floor),
        times(median(all.map(({ makespanMs, criticalMs }) => makespanMs / criticalMs))),
        `${seconds(quantile(hops, 0.5) / 1000)} / ${seconds(quantile(hops, 0.99) / 1000)}`,
        all.map(({ broken }) => broken.length).join(' + '),
        executors.length === 0 ? '–' : seconds(median(executors.map(({ wallMs }) => wallMs)) / 1000),
        executors.length === 0 ? '–' : seconds(median(executors.map(({ cpuMs }) => cpuMs)) / 1000),
        seconds(median(all.map(({ apiCpuMs }) => apiCpuMs)) / 1000),
        seconds(median(all.map(({ controllerCpuMs }) => controllerCpuMs)) / 1000),
        executors.length === 0
          ? '–'
          : median(all.map(({ executor, apps }) => (executor?.requests ?? 0) / apps)).toFixed(1),
      ]);
    });
  const head = [
    '',
    'makespan',
    '÷ floor',
    '÷ critical path',
    'hop p50 / p99',
    'edges broken',
    'process',
    'its CPU',
    'CPU API server',
    'CPU Argo CD controller',
    'requests per app',
  ];
  const broken = brokenOf(name, results);
  return [
    `## ${title}`,
    '',
    row(head),
    row(head.map(() => '---')),
    ...rows,
    ...(broken.length === 0 ? [] : ['', ...broken]),
  ].join('\n');
}

function brokenOf(name: string, results: Results): string[] {
  return methods.flatMap((method) => {
    const edges = [...new Set(of(results, name, method).flatMap(({ broken }) => broken))];
    const more = edges.length > 3 ? ` and ${edges.length - 3} more` : '';
    return edges.length === 0 ? [] : [`Broken by ${titles[method]}: ${edges.slice(0, 3).join('; ')}${more}.`];
  });
}

const parts: readonly (readonly [keyof Where, string])[] = [
  ['start', 'until the first request'],
  ['creation', 'creating Applications'],
  ['operations', 'operations'],
  ['health', 'from Succeeded to Healthy'],
  ['windows', 'stability windows'],
  ['hops', 'hops'],
];

function whereTable(measured: readonly Case[], results: Results): string {
  const rows = measured.flatMap(({ name, title }) =>
    methods
      .filter((method) => of(results, name, method).length > 0)
      .map((method) => {
        const all = of(results, name, method);
        const value = (part: keyof Where): string => (median(all.map(({ where }) => where[part])) / 1000).toFixed(1);
        return row([title, titles[method], ...parts.map(([part]) => value(part))]);
      }),
  );
  const head = ['', '', ...parts.map(([, words]) => words)];
  return [row(head), row(head.map(() => '---')), ...rows].join('\n');
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
  ];
  const rows = scale.map(({ apps, wallMs, peakMegabytes, cpuMs, requests, apiCpuMs, controllerCpuMs }) =>
    row([
      String(apps),
      seconds(wallMs / 1000),
      `${Math.round(peakMegabytes)} MB`,
      seconds(cpuMs / 1000),
      String(requests),
      (requests / apps).toFixed(1),
      seconds(apiCpuMs / 1000),
      seconds(controllerCpuMs / 1000),
    ]),
  );
  return [row(head), row(head.map(() => '---')), ...rows].join('\n');
}

function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, goal = '', met }) =>
    row([what, value, goal, met === true ? 'met' : '**missed**']),
  );
  return [row(['what', 'measured', 'goal', '']), row(['---', '---', '---', '---']), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function of({ measurements }: Results, name: string, method: Method): readonly Measurement[] {
  return measurements.filter((one) => one.case === name && one.method === method);
}

function spanOf(results: Results, name: string, method: Method): number {
  return median(of(results, name, method).map(({ makespanMs }) => makespanMs));
}

function spread(values: readonly number[]): string {
  const text = (ms: number): string => (ms / 1000).toFixed(1);
  return `${text(median(values))} s (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

const explanations = `## How it is measured

- **Same work.** Chain and fan, in namespaces that exist: (a) and (b) find their Applications in the cluster, held by a sync window; (c) and (d) create them on the way, which is part of what they are. \`reference\`: (a) and (b) find
  the held root and nothing else, and bring 9 AppProjects, 9 stack Applications and 47 Applications through it; (c) and (d) are flat and have no parents to bring, and the part \`prometheus#crds\` is an Application of its own for them.
  Levels are those of the graph with all its edges. The clusters are empty before \`reference\`, and before each round of the others.
- **makespan**: from the start of the process, or of the request that creates ApplicationSet or root, until Argo CD's records say that all apps are Synced and Healthy at once. **process**: until the executor has
  ended; Tiphys has handed over to Argo CD and looked at everything again by then, the floor has not.
- **hop**: from the record of the last need as Synced and Healthy, plus its stability window where Tiphys keeps one, to the first request made for the dependent: the operation on it, or the one on its parent that creates it. A parent takes one operation at a time;
  while it was busy the dependent had to wait, and that counts as creating Applications. Vault is unsealed some seconds after Argo CD calls it Healthy: Tiphys, which asks Vault itself, is measured from then, and its critical path counts that time to Vault's.
- **edges broken**: hard needs that were not recorded as Synced and Healthy when the first object of the dependent was created, run by run.
- **critical path**: the longest chain of needs over what each app itself took until Healthy: from the first request made for it, or from when its needs were ready where that was later, so that no moment counts twice.
  Of stability windows those between two apps of the chain count, not the last one's, which is beyond the makespan.
- **requests**: everything that leaves the executor's process, reads, writes and watches; Argo CD's own requests are not counted for anybody. CPU of the executor includes the start of Node.
- Argo CD looks at everything again by itself every ${resyncSeconds} s instead of every 120 s, in favour of (c) and (d): when an app has brought definitions, Argo CD reads the cluster anew and overlooks what happens meanwhile, and
  they wait until it looks again. (a) and (b) ask. With many Applications it looks every ${usualResyncSeconds} s, as it does unless told.
- All moments are taken from the API server's audit log. The check for Applications that sync waves wait by is that of Argo CD's manual, and installed for all four.
- The floor is \`bench/testbed/floor.ts\`: no lease, plan, gate, evidence, report, hand-over.
`;

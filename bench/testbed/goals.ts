import { type Figure, judged, median, quantile, seconds, times } from '../figure.ts';
import { type Case, cases, type Method } from './cases.ts';
import type { Measurement } from './measure-once.ts';
import { type Results, runsOf, spanOf } from './results.ts';
import type { ScaleMeasurement } from './scale.ts';

/** Every goal, and whether it was met. */
export function goalsOf(results: Results): Figure[] {
  const present = cases.filter(({ name }) => runsOf(results, name, 'tiphys').length > 0);
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
    if (limit === undefined || runsOf(results, name, 'floor').length === 0) return [];
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

function caseGoals(bench: Case, results: Results): Figure[] {
  const { name, title } = bench;
  const own = runsOf(results, name, 'tiphys');
  const hops = own.flatMap(({ hopsMs }) => hopsMs);
  const toOperation = own.flatMap(({ toOperationMs }) => toOperationMs);
  const rivals = (['rolling-sync', 'waves'] as const).filter((method) => runsOf(results, name, method).length > 0);
  const best = Math.min(...rivals.map((method) => spanOf(results, name, method)));
  return [
    judged(
      `${title}: hop p99 beyond the stability window, ${hops.length} hops`,
      quantile(hops, 0.99) / 1000,
      ['≤', 0.25],
      seconds,
    ),
    ...(name.startsWith('reference')
      ? [
          judged(
            `${title}: the same to its own operation, with the time for which its parent was busy`,
            quantile(toOperation, 0.99) / 1000,
            ['≤', 0.25],
            seconds,
          ),
        ]
      : []),
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
    ...(name.endsWith('-delays') ? pathGoals(bench, results) : []),
  ];
}

/** The goal counts the apps alone. What bringing root and stacks takes of the rest, and what the floor comes to, is told beside. */
function pathGoals({ name, title }: Case, results: Results): Figure[] {
  const over = (method: Method, path: (run: Measurement) => number): number =>
    median(runsOf(results, name, method).map((run) => run.makespanMs / path(run)));
  const ofApps = ({ criticalWithWindowsMs }: Measurement): number => criticalWithWindowsMs;
  const whole = over('tiphys', ({ criticalWithParentsMs }) => criticalWithParentsMs);
  // So close to its goal that two digits would hide on which side it is.
  const exact = (value: number): string => `${value.toFixed(3)} ×`;
  const what = `${title}: makespan ÷ critical path, stability windows`;
  const without = over('tiphys', ({ criticalMs }) => criticalMs);
  const both = [
    judged(`${what} counted to the path`, over('tiphys', ofApps), ['≤', 1.05], exact),
    { what: `${what} not counted`, value: exact(without) },
  ];
  if (whole === over('tiphys', ofApps)) return both;
  return [
    ...both,
    { what: `${title}: the same of the floor`, value: exact(over('floor', ofApps)) },
    { what: `${what}, root and stacks counted to the path`, value: exact(whole) },
  ];
}

function scaleGoals(scale: readonly ScaleMeasurement[]): Figure[] {
  if (scale.length === 0) return [];
  const broken = scale.reduce((sum, one) => sum + one.broken, 0);
  return [...growthGoals(scale), judged('many Applications: edges broken', broken, ['≤', 0], String)];
}

function growthGoals(scale: readonly ScaleMeasurement[]): Figure[] {
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

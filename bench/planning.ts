import { execFileSync } from 'node:child_process';
import { type Benchmark, type Figure, judged, seconds } from './figure.ts';

/** Reading, checking and planning a platform of which nothing is deployed, each time in a new process. */
export const planning: Benchmark = async ({ built }) => {
  const small = measured(`${built}/planning-child.js`, 1_000, 3_000);
  const large = measured(`${built}/planning-child.js`, 10_000, 30_000);
  const ratio = large.whole / small.whole;
  const figures: Figure[] = [
    judged(`check + plan, 1,000 apps, 3,000 edges (${small.detail})`, small.whole / 1000, ['<', 0.5], seconds),
    judged(`check + plan, 10,000 apps, 30,000 edges (${large.detail})`, large.whole / 1000, ['<', 5], seconds),
    judged(
      'ten times the apps and edges take so many times as long',
      ratio,
      ['<', 12],
      (value) => `${value.toFixed(1)} ×`,
    ),
  ];
  return figures;
};

function measured(child: string, apps: number, edges: number): { whole: number; detail: string } {
  // The fastest of them: what else runs on the machine only ever adds.
  const runs = Array.from({ length: apps > 1_000 ? 5 : 15 }, () => {
    const output = execFileSync(process.execPath, [child, String(apps), String(edges)], { encoding: 'utf8' });
    return JSON.parse(output) as { check: number; plan: number };
  });
  const { check, plan } = runs.reduce((best, run) => (run.check + run.plan < best.check + best.plan ? run : best));
  return { whole: check + plan, detail: `check ${seconds(check / 1000)}, plan ${seconds(plan / 1000)}` };
}

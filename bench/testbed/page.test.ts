import { describe, expect, it } from 'vitest';
import type { Method } from './cases.ts';
import { goalsOf } from './goals.ts';
import type { Measurement } from './measure-once.ts';
import { page } from './page.ts';
import type { Results } from './results.ts';

describe('the page of the benchmark', () => {
  it('judges by the median of all runs, and says what was missed', () => {
    expect(goal([measured('floor', 100), measured('tiphys', 120)])).toMatchObject({ value: '1.20 ×', met: true });
    const slow = [110, 125, 130].map((makespan) => measured('tiphys', makespan));
    expect(goal([measured('floor', 100), ...slow])).toMatchObject({ value: '1.25 ×', met: false });
    expect(written([measured('floor', 100), ...slow])).toContain('| 1.25 × | ≤ 1.20 × | **missed** |');
  });

  it('shows where the time of one whole run went, and what Tiphys takes beyond the floor', () => {
    const text = written([measured('floor', 100), measured('tiphys', 110)]);
    expect(text).toContain('| chain of 10 | (b) Tiphys | 10.0 | 0.0 | 100.0 | 0.0 | 0.0 | 0.0 | 3.0 |');
    expect(text).toContain('| chain of 10 | (b) − (a) | 0.0 | 0.0 | 10.0 | 0.0 | 0.0 | 0.0 | 0.0 |');
  });

  it('names the slowest hops of Tiphys, so that a missed goal says where', () => {
    const text = written([measured('floor', 100), measured('tiphys', 110)]);
    expect(text).toContain('Slowest hops of (b) Tiphys: first → second 0.31 s.');
    expect(text).toContain('hop p99 beyond the stability window, 1 hops | 0.31 s | ≤ 0.25 s | **missed** |');
  });

  it('judges the path without root and stacks, and tells what they and the floor come to as figures without a goal', () => {
    const run = (method: Method): Measurement => ({
      ...measured(method, 100),
      case: 'reference-delays',
      criticalWithParentsMs: 98_000,
      criticalWithWindowsMs: 94_000,
    });
    const text = written([run('floor'), run('tiphys')]);
    expect(text).toContain('stability windows counted to the path | 1.064 × | ≤ 1.050 × | **missed** |');
    expect(text).toContain('the same of the floor | 1.064 × |  |  |');
    expect(text).toContain('root and stacks counted to the path | 1.020 × |  |  |');
  });

  it('says whether a run had to be made once more', () => {
    const runs = [measured('tiphys', 110)];
    expect(written(runs)).toContain('No run failed.');
    const text = written(runs, { repeated: ['chain 2 tiphys: Error: ended with 2'] });
    expect(text).toContain('Failed and made once more: chain 2 tiphys: Error: ended with 2.');
  });
});

function goal(measurements: readonly Measurement[]) {
  return goalsOf({ ...nothing, measurements }).find(({ what }) => what === 'chain of 10: Tiphys ÷ floor');
}

function written(measurements: readonly Measurement[], more: Partial<Results> = {}): string {
  return page({ ...nothing, measurements, ...more }, 'npm run bench:testbed');
}

const nothing: Results = { runs: 1, load: 0, argocd: '3.5', measurements: [], scale: [], repeated: [] };

/** A run of the chain, its process three seconds longer than its makespan. */
function measured(method: Method, seconds: number): Measurement {
  const makespanMs = seconds * 1000;
  const executor = { cpuMs: 1, requests: 20, peakMegabytes: 1, wallMs: makespanMs + 3000 };
  const where = { start: 10_000, hops: 0, windows: 0, creation: 0, operations: makespanMs - 10_000, health: 0 };
  const path = { criticalMs: makespanMs, criticalWithWindowsMs: makespanMs, criticalWithParentsMs: makespanMs };
  const slowest = [{ need: 'first', node: 'second', ms: 310 }];
  const hops = { hopsMs: [310], slowest, toOperationMs: [310] };
  const load = { apiCpuMs: 1, controllerCpuMs: 1, apps: 10, broken: [], executor, where };
  return { case: 'chain', method, makespanMs, ...path, ...hops, ...load };
}

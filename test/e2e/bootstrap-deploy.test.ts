import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/report/report.ts';
import { allRoles, type BootstrapBench, openBootstrapBench, roleGoes } from './bootstrap-bench.ts';

let bench: BootstrapBench;
beforeAll(async () => {
  bench = await openBootstrapBench();
}, 60_000);
afterAll(() => bench.close());
beforeEach(() => {
  bench.empty();
  rmSync(join(bench.folder, 'given.json'), { force: true });
});

describe('an empty cluster', () => {
  it('is in phase 0 (R3.1)', async () => {
    const status = bench.start(['status', 'platforms/hello', '-o', 'json'], []);
    expect([await status.ended, status.said.err]).toEqual([0, '']);
    expect(JSON.parse(status.said.out)).toMatchObject({ phase: 0, phaseName: 'pre-bootstrap' });
  });

  it('is bootstrapped first in a dry run’s plan, and not touched', async () => {
    const run = bench.start(['deploy', 'platforms/hello', '--dry-run'], allRoles);
    expect(await run.ended).toBe(0);
    expect(run.said.err).toContain('There is no Argo CD in this cluster: deploy bootstraps it first.');
    expect(run.said.err).toMatch(/\+ argocd +.*Argo CD with our health checks/);
    expect(run.said.out).toContain('deploy hello: 4 to sync');
    expect(existsSync(join(bench.folder, 'given.json'))).toBe(false);
    expect(bench.writes).toEqual([]);
  });

  it('stays as it is when the bootstrap fails: its report, exit 1, no Application touched (INV-4)', async () => {
    const failing = [...roleGoes('argocd', { status: 'failed', error: 'no rights' }), '!exit 2'];
    const run = bench.start(['deploy', 'platforms/hello', '-o', 'json'], failing);
    expect(await run.ended).toBe(1);
    expect(reportSchema.parse(JSON.parse(run.said.out))).toMatchObject({ action: 'bootstrap', outcome: 'failed' });
    expect(bench.writes.filter((write) => write.includes('argoproj.io'))).toEqual([]);
  });

  it('is not touched when preflight says no: its report, exit 3 for a missing tool (R3.4)', async () => {
    const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const run = bench.start(['deploy', 'platforms/hello', '-o', 'json'], allRoles, { PATH });
    expect(await run.ended).toBe(3);
    expect(JSON.parse(run.said.out)).toMatchObject({ kind: 'Preflight', outcome: 'not-ready', exitCode: 3 });
    expect(existsSync(join(bench.folder, 'given.json'))).toBe(false);
  });

  it('needs one command until everything is Healthy (R2.1, R7.6)', async () => {
    const events = join(bench.folder, 'events.jsonl');
    const args = ['deploy', 'platforms/hello', '-o', 'json', '--events', events];
    const run = bench.start(args, [...allRoles, '!install']);
    expect([await run.ended, run.said.err]).toEqual([0, expect.stringContaining('deploy bootstraps it first')]);
    const report = reportSchema.parse(JSON.parse(run.said.out));
    expect(report).toMatchObject({
      action: 'deploy',
      outcome: 'success',
      bootstrap: { action: 'bootstrap', outcome: 'success' },
    });
    expect(report.nodes.map(({ stack }) => stack)).not.toContain('bootstrap');
    const starts = readFileSync(events, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"run-started"'));
    expect(starts.map((line) => JSON.parse(line).plan.action)).toEqual(['bootstrap', 'deploy']);
    const again = bench.start(['report', events], []);
    expect(await again.ended).toBe(0);
    expect(again.said.out).toContain('deploy hello: all Healthy');
  });
});

describe('a cluster that has Argo CD', () => {
  it('is not bootstrapped', async () => {
    const first = bench.start(['deploy', 'platforms/hello'], ['!install', ...allRoles]);
    expect(await first.ended).toBe(0);
    rmSync(join(bench.folder, 'given.json'));
    const second = bench.start(['deploy', 'platforms/hello'], ['!exit 9']);
    expect(await second.ended).toBe(0);
    expect(existsSync(join(bench.folder, 'given.json'))).toBe(false);
  });
});

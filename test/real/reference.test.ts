import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../../src/core/platform/platform.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { creations } from '../../testbed/audit/creations.ts';
import { deletionOrder } from '../../testbed/audit/deletion-order.ts';
import { healthMoments } from '../../testbed/audit/health-moments.ts';
import { operations } from '../../testbed/audit/operations.ts';
import { operatorReports } from '../../testbed/audit/operator-reports.ts';
import { writesOf } from '../../testbed/audit/writes-of.ts';
import { annotations, type ScriptStep } from '../../testbed/world/annotations.ts';
import { ownWords } from '../../testbed/world/own-words.ts';
import { installHealthChecks } from '../contracts/health-checks.ts';
import { clusterSnapshot } from './cluster-snapshot.ts';
import { userOf } from './roles.ts';
import { type Command, type Ended, freshTestbed, type RealBed } from './testbed.ts';

const folder = 'platforms/reference';
let bed: RealBed;
let platform: Platform;
let before: ReadonlySet<string>;

beforeAll(async () => {
  bed = await freshTestbed('real-reference');
  // With them Argo CD's own record of Ceph, PostgreSQL and the others is worth something, and the log is judged by that record.
  await installHealthChecks(bed.client);
  before = await clusterSnapshot(bed.client);
  const scenario = join(bed.state.folder, 'vault-sealed-for-long.yaml');
  writeFileSync(scenario, vaultSealedForLong(readFileSync(join(folder, 'scenario.yaml'), 'utf8')));
  ({ platform } = await bed.publish(folder, { scenario, speed: 60 }));
}, 400_000);

afterAll(() => bed?.close());

describe('the reference platform on a real Argo CD, all of it with automated sync', () => {
  let deployed: Ended;

  it('is deployed from nothing with exit 0 and 47 Healthy apps', async () => {
    deployed = await bed.run('deploy', folder);
    expect([deployed.exitCode, deployed.report.failures], deployed.err).toEqual([0, []]);
    expect(deployed.report.nodes.filter(({ state }) => state === 'healthy').length).toBeGreaterThanOrEqual(47);
  }, 900_000);

  it('had no object created before all hard needs of its app were Healthy, by the audit log (INV-1)', async () => {
    const entries = await bed.audit();
    const apps = new Set(creations(entries).map(({ application }) => application));
    expect([...platform.apps.values()].filter(({ application }) => !apps.has(application))).toEqual([]);
    expect(brokenEdges(platform, entries)).toEqual([]);
    // Had kyverno, which came early, needed temporal, which came late, it would have been found.
    expect(brokenEdges(withNeed('kyverno', 'temporal'), entries).map(({ node }) => node)).toContain('kyverno');
  });

  it('had nothing of what needs Vault created before Vault itself said that it is unsealed, whatever Argo CD called it (INV-7)', async () => {
    const entries = await bed.audit();
    const unsealedAt = (await ownWords(bed.client)).get('vault') ?? Number.NaN;
    const firstHealthy = healthMoments(entries)
      .get('vault')
      ?.find(({ isGood }) => isGood);
    expect(firstHealthy?.at).toBeLessThan(unsealedAt - 2_000);
    const dependents = [...platform.apps.values()].filter(({ needs }) => needs.some(({ node }) => node === 'vault'));
    const early = creations(entries).filter(
      ({ application, at }) => at < unsealedAt && dependents.some((app) => app.application === application),
    );
    expect(dependents.length).toBeGreaterThan(3);
    expect(early.map(({ key }) => key)).toEqual([]);
  });

  it('had its custom resources go through the states of their operators, each in its turn and not before its time', async () => {
    const reports = operatorReports(await bed.audit(), 'system:kwok');
    const kinds = reports.map(({ key }) => key.split('.')[0]);
    expect(kinds).toEqual(expect.arrayContaining(['cephclusters', 'postgresqls', 'kafkas', 'redisclusters']));
    for (const { key, annotations: wanted, said } of reports) {
      const script = JSON.parse(wanted[annotations.script] ?? '[]') as readonly ScriptStep[];
      const statuses = said.map(({ status: { observedGeneration: _any, ...status } }) => status);
      expect(statuses, key).toEqual(script.map(({ status }) => status));
      for (const [turn, { after }] of script.entries()) {
        const pause = said[turn]!.at - (said[turn - 1]?.at ?? 0);
        expect(pause, `${key}, state ${turn}`).toBeGreaterThanOrEqual(Number.parseInt(after, 10) - 50);
      }
    }
    const ceph = reports.find(({ key }) => key.startsWith('cephclusters'));
    const words = ceph?.said.map(({ status }) => (status['ceph'] as { health?: string } | undefined)?.health);
    expect(words).toEqual([undefined, 'HEALTH_WARN', 'HEALTH_OK']);
  });

  it('was synced by nobody but us, and ended Synced, Healthy and released, by Argo CD’s own records', async () => {
    const entries = await bed.audit();
    expect(operations(entries).filter(({ automated }) => automated)).toEqual([]);
    const last = [...healthMoments(entries)].map(([name, moments]) => [name, moments.at(-1)?.isGood]);
    expect(last.filter(([, isGood]) => isGood !== true)).toEqual([]);
    expect(last).toHaveLength(47 + 9 + 1);
    expect(deployed.report.held).toEqual([]);
  });

  it('is left alone by a second deploy: exit 0 and not one write request of ours in the audit log', async () => {
    const since = Date.now();
    const { exitCode } = await bed.run('deploy', folder);
    expect([exitCode, writesOf(await bed.audit(since), userOf('deploy'))]).toEqual([0, []]);
  });

  it('is found healthy by validate, which writes nothing', async () => {
    const since = Date.now();
    const { exitCode, report } = await bed.run('validate', folder);
    expect([exitCode, report.failures]).toEqual([0, []]);
    expect(writesOf(await bed.audit(since), userOf('validate'))).toEqual([]);
  });

  it('is at rest in the eyes of status, plan and explain, which need no more rights than validate', async () => {
    const [status, plan, explanation] = await Promise.all([
      told('status', folder),
      told('plan', folder),
      told('explain', 'vault', folder),
    ]);
    expect(status).toMatchObject({ phase: 3, health: 'healthy' });
    const { steps } = plan as { steps: readonly { action: string }[] };
    expect(steps.filter(({ action }) => action !== 'skip')).toEqual([]);
    expect(explanation).toMatchObject({ app: { done: true }, gate: expect.stringMatching(/^open: .*active/) });
  });

  it('is torn down in reverse order, by the audit log, with exit 0', async () => {
    const { exitCode, report, err } = await teardown();
    expect([exitCode, report.failures, report.orphans], err).toEqual([0, [], []]);
    const { nodes, wrong } = deletionOrder(platform, await bed.audit());
    expect(wrong).toEqual([]);
    expect(nodes.size).toBeGreaterThanOrEqual(47);
  }, 900_000);

  it('leaves nothing behind against the snapshot taken before', async () => {
    const left = [...(await clusterSnapshot(bed.client))].filter((object) => !before.has(object));
    expect(left.sort()).toEqual([]);
  });

  it('has nothing more to be torn down: the next run says so and writes nothing', async () => {
    const since = Date.now();
    const { exitCode, report, err } = await teardown();
    expect([exitCode, report.outcome, err]).toEqual([0, 'clean', expect.stringContaining('nothing to do')]);
    expect(writesOf(await bed.audit(since), userOf('teardown'))).toEqual([]);
  });
});

/** Argo CD knows nothing of seals: it calls Vault Healthy while this goes on, here for some twelve seconds. */
function vaultSealedForLong(scenario: string): string {
  const words = '{ state: uninitialized, for: 40s }';
  expect(scenario).toContain(words);
  return scenario.replace(words, '{ state: uninitialized, for: 12m }');
}

function withNeed(app: string, need: string): Platform {
  const found = platform.apps.get(app)!;
  const needs = [...found.needs, { node: need, edge: 'hard' as const, at: found.at }];
  return { ...platform, apps: new Map(platform.apps).set(app, { ...found, needs }) };
}

async function told(...words: readonly [Command, ...string[]]): Promise<unknown> {
  const { said, ended } = bed.start(...words, '-o', 'json');
  expect([await ended, said.err]).toEqual([0, expect.anything()]);
  return JSON.parse(said.out);
}

function teardown(): Promise<Ended> {
  const all = ['--include-stateful', '--include-crds', '--pv-policy', 'delete'];
  return bed.run('teardown', folder, '--confirm', 'reference', ...all);
}

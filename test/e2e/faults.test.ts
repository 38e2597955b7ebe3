import { describe, expect, it } from 'vitest';
import { toReport } from '../../src/core/report/to-report.ts';
import { bench, deployOn, platformFrom, platformOf, teardownOn } from '../harness.ts';
import { faults, states } from './look.ts';

const hello = platformFrom('platforms/hello');
const secrets = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: secrets
root: secrets-root
stacks:
  s:
    apps:
      vault: { type: vault }
      keycloak: { needs: [vault] }
      notes: {}
`);

describe('one broken app', () => {
  const rows: [fault: string, because: RegExp, attempts: number, timedOut: boolean][] = [
    ['degraded', /^postgresql database\/database: CreateFailed/, 3, false],
    ['never-healthy', /^timed out waiting for postgresql database\/database: Creating/, 1, true],
    ['sync-fails', /^the sync failed: .*refused on purpose/, 3, false],
    ['empty', /^it is empty: Healthy without a single resource proves nothing/, 3, false],
  ];
  it.each(rows)(
    '%s: fails with its reason, blocks its hard dependents only, exit 2',
    async (fault, because, attempts, timedOut) => {
      const on = bench(hello, { faults: faults(`database=${fault}`) });
      const { run } = await deployOn(on);
      on.close();
      expect(states(run)).toEqual({
        'cert-manager': 'healthy',
        ingress: 'healthy',
        database: 'failed',
        web: 'blocked',
      });
      expect(run.nodes.get('database')).toMatchObject({
        because: expect.stringMatching(because),
        hint: expect.stringMatching(/^.{20}/),
        attempts,
        timedOut,
      });
      expect({ outcome: run.outcome, exitCode: run.exitCode }).toEqual({ outcome: 'partial', exitCode: 2 });
      expect([...run.held].sort()).toEqual(['database', 'hello-root', 'hello-shop', 'web']);
    },
  );

  it('is one failure and what it blocks, not one failure each (causes, not echoes)', async () => {
    const on = bench(hello, { faults: faults('cert-manager=degraded', 'database=degraded') });
    const { run } = await deployOn(on);
    on.close();
    expect(toReport(run).failures.map(({ node, blocks }) => ({ node, blocks }))).toEqual([
      { node: 'cert-manager', blocks: ['ingress'] },
      { node: 'database', blocks: ['web'] },
    ]);
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
  });

  it('does not stop a soft dependent, which comes after it all the same', async () => {
    const on = bench(hello, { faults: faults('ingress=sync-fails', 'database=sync-fails:2') });
    const { run } = await deployOn(on);
    on.close();
    expect(states(run)).toMatchObject({ ingress: 'failed', database: 'healthy', web: 'healthy' });
    const web = run.nodes.get('web')?.startedAt ?? '';
    expect(web > (run.nodes.get('ingress')?.finishedAt ?? 'x')).toBe(true);
  });

  it('that fails to sync once recovers by a retry, after its back-off', async () => {
    const on = bench(hello, { faults: faults('database=sync-fails:1') });
    const { run, events } = await deployOn(on);
    on.close();
    expect(run.exitCode).toBe(0);
    expect(run.nodes.get('database')).toMatchObject({ state: 'healthy', attempts: 2 });
    const retry = events.find((event) => event.type === 'node-retrying');
    expect(retry).toMatchObject({ node: 'database', attempt: 1, delaySeconds: 10 });
  });

  it('backs off twice as long each time', async () => {
    const on = bench(hello, { faults: faults('database=sync-fails') });
    const { events } = await deployOn(on);
    on.close();
    const delays = events.flatMap((event) => (event.type === 'node-retrying' ? [event.delaySeconds] : []));
    expect(delays).toEqual([10, 20]);
  });
});

describe('a sealed Vault (INV-7)', () => {
  it('never opens its gate though Argo CD calls it Healthy, and says how to unseal it', async () => {
    const on = bench(secrets, { faults: faults('vault=sealed') });
    const { run } = await deployOn(on);
    on.close();
    expect(states(run)).toEqual({ vault: 'failed', keycloak: 'blocked', notes: 'healthy' });
    expect(run.nodes.get('vault')?.because).toMatch(/^timed out waiting for Vault vault\/vault: Vault is sealed; run/);
    expect(run.exitCode).toBe(2);
    expect(toReport(run).failures[0]).toMatchObject({ name: 'Vault sealed', blocks: ['keycloak'] });
  });

  it('is continued, not redone, once it is unsealed (R2.3)', async () => {
    const on = bench(secrets, { faults: faults('vault=sealed') });
    await deployOn(on);
    on.sandbox.fix('vault');
    // Its pod begins anew.
    await on.time.run(on.time.sleep(10 * 60_000));
    const { run, events } = await deployOn(on);
    on.close();
    expect(states(run)).toEqual({ vault: 'skipped', keycloak: 'healthy', notes: 'skipped' });
    const synced = events.flatMap((event) => (event.type === 'operation-triggered' ? [event.application] : []));
    expect(new Set(synced)).toEqual(new Set(['keycloak']));
  });
});

describe('time-outs', () => {
  const short = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: short
root: short-root
defaults: { timeouts: { sync: 1m, health: 2m } }
stacks: { s: { apps: { slow: {}, after: { needs: [slow] }, quick: {} } } }
`);

  it('of a node fail it once, without another attempt, and the run is partial (R5.5)', async () => {
    const on = bench(short, { faults: faults('slow=never-healthy') });
    const { run } = await deployOn(on);
    on.close();
    expect(states(run)).toEqual({ slow: 'failed', after: 'blocked', quick: 'healthy' });
    const { startedAt = '', finishedAt = '', attempts } = run.nodes.get('slow') ?? {};
    expect(attempts).toBe(1);
    expect((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toBeGreaterThanOrEqual(120);
    expect((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toBeLessThan(135);
    expect(run.exitCode).toBe(2);
  });

  it('of the run end it with exit code 4, and the next run goes on from there', async () => {
    const on = bench(hello);
    const { run } = await deployOn(on, { runTimeoutMs: 60_000 });
    expect(run).toMatchObject({
      outcome: 'timeout',
      exitCode: 4,
      interrupted: 'the run’s time-out of 60 s was reached',
    });
    expect(Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt ?? '')).toBeLessThan(70_000);
    expect(states(run)).toMatchObject({ ingress: 'pending', web: 'pending' });
    const next = await deployOn(on);
    on.close();
    expect(next.run.exitCode).toBe(0);
    const again = next.events.filter((event) => event.type === 'operation-triggered' && event.node === 'database');
    expect(again).toEqual([]);
  });
});

describe('an object that does not go', () => {
  it('is named with its finalizer, whose it is and how to clear it; exit 2; mended, a second teardown is clean', async () => {
    const on = bench(hello, { faults: faults('ingress=stuck-finalizer') });
    await deployOn(on);
    const { run } = await teardownOn(on);
    expect(run).toMatchObject({ outcome: 'orphans', exitCode: 2 });
    expect(states(run)).toEqual({
      web: 'removed',
      database: 'removed',
      ingress: 'orphaned',
      'cert-manager': 'blocked',
    });
    expect(run.orphans).toEqual([
      {
        object: 'Deployment ingress/ingress',
        because:
          'it waits for its finalizer example.com/never-removed, which the controller of example.com must remove',
        hint: `Make that controller run and mend what it complains about. Only if it is gone for good: kubectl patch deployment ingress -n ingress --type=merge -p '{"metadata":{"finalizers":null}}'`,
        node: 'ingress',
      },
    ]);
    on.sandbox.fix('ingress');
    const second = await teardownOn(on);
    on.close();
    expect(second.run).toMatchObject({ outcome: 'clean', exitCode: 0, orphans: [] });
    expect(states(second.run)).toMatchObject({ ingress: 'removed', 'cert-manager': 'removed' });
  });
});

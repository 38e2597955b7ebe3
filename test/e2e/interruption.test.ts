import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { deploy } from '../../src/engine/deploy.ts';
import { OperatorError } from '../../src/engine/operator-error.ts';
import { virtualEpoch } from '../../src/sandbox/time.ts';
import { type Bench, bench, deployOn, executorOn, type Played, platformFrom, platformOf } from '../harness.ts';
import { admin, application, argocdPath, chain, leasePath, objects, states, writes } from './look.ts';
import { afterRequest, operationOf, slowly, underWay } from './workflow-look.ts';

const hello = platformFrom('platforms/hello');
const lease = `${leasePath}/tiphys-hello`;

describe('a run that is stopped', () => {
  it('starts nothing more, leaves running syncs to Argo CD, keeps the rest held; the next run goes on', async () => {
    const on = bench(hello);
    const stop = new AbortController();
    const { run } = await deployOn(
      on,
      {},
      stop.signal,
      once(isHealthy('cert-manager'), () => stop.abort()),
    );
    expect(run).toMatchObject({
      outcome: 'failed',
      exitCode: 1,
      interrupted: 'stopped on request; running syncs are left to Argo CD',
    });
    expect(run.nodes.get('cert-manager')?.state).toBe('healthy');
    expect([...run.held].sort()).toEqual(['database', 'hello-base', 'hello-root', 'hello-shop', 'ingress', 'web']);
    expect(objects(on).has('Lease argocd/tiphys-hello')).toBe(false);

    // INV-4: however long nobody looks, nothing starts by itself.
    await on.time.run(on.time.sleep(30 * 60_000));
    for (const name of ['ingress', 'web']) expect(operationOf(on, name)).toEqual([undefined, undefined]);

    const next = await deployOn(on);
    on.close();
    expect(states(next.run)).toEqual({
      'cert-manager': 'skipped',
      database: 'skipped',
      ingress: 'healthy',
      web: 'healthy',
    });
    expect(next.run.exitCode).toBe(0);
  });

  it('takes back what Argo CD has not taken up: nothing begins after it', async () => {
    const on = bench(hello, { timing: slowly });
    const stop = new AbortController();
    afterRequest(on, 'cert-manager', { afterMs: 1_000, act: () => stop.abort() });
    await deployOn(on, {}, stop.signal);
    expect([objects(on).has('Lease argocd/tiphys-hello'), underWay(on)]).toEqual([false, []]);
    await on.time.run(on.time.sleep(30 * 60_000));
    expect(operationOf(on, 'cert-manager')).toEqual([undefined, undefined]);
    const next = await deployOn(on);
    on.close();
    expect(next.run.exitCode).toBe(0);
  });

  it('whose sync somebody ends: the next run waits for that end, which is no failed attempt', async () => {
    const scenario = { defaults: {}, apps: new Map([['a', { waves: 2, readyMs: 60_000 }]]) };
    const on = bench(platformOf(chain), { scenario, timing: { terminate: () => 5_000 } });
    const stop = new AbortController();
    afterRequest(on, 'a', { afterMs: 4_000, act: () => stop.abort() });
    await deployOn(on, {}, stop.signal);
    expect(underWay(on)).toContain('a');
    const ended = { status: { operationState: { phase: 'Terminating' } } };
    await admin(on, 'PATCH', `${argocdPath}/applications/a`, ended);
    const { run, events } = await deployOn(on);
    on.close();
    expect(run.exitCode).toBe(0);
    expect(events.filter(({ type }) => type === 'node-retrying')).toEqual([]);
  });

  it('before it began does nothing at all', async () => {
    const on = bench(hello);
    await expect(deployOn(on, {}, AbortSignal.abort())).rejects.toThrow();
    on.close();
    expect(writes(on)).toEqual([]);
  });
});

describe('one run at a time (INV-2)', () => {
  it('a second one is refused with who has the lease, since when, and when it runs out', async () => {
    const on = bench(hello);
    const other = executorOn(hello, on, 2);
    let second: Promise<unknown> = Promise.resolve();
    await deployOn(
      on,
      { runId: 'deploy-one' },
      undefined,
      once(isHealthy('cert-manager'), () => {
        second = deployOn({ ...on, world: other.world }, { runId: 'deploy-two' }).catch((error: unknown) => error);
      }),
    );
    const refusal = await second;
    on.close();
    expect(refusal).toBeInstanceOf(OperatorError);
    expect(refusal).toMatchObject({
      message: 'another run holds the lease: deploy-one, since 2026-01-05T03:00:00.000000Z',
      hint: expect.stringMatching(
        /^Wait for it to end\. If that run is dead its lease runs out in \d+ s, and the same command then takes over\.$/,
      ),
      exitCode: 1,
    });
  });

  it('the lease of a dead run is taken over when it has run out, not before', async () => {
    const on = bench(hello);
    await killAt(on, 'deploy-dead', isHealthy('cert-manager'));
    await expect(deployOn(on)).rejects.toThrow('another run holds the lease: deploy-dead');
    await on.time.run(on.time.sleep(31_000));
    const { run, events } = await deployOn(on, { runId: 'deploy-heir' });
    on.close();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'lease-taken', holder: 'deploy-heir', takenOverFrom: 'deploy-dead' }),
    );
    expect(run.exitCode).toBe(0);
  });

  it('a lost lease stops the run: nothing more is started, and nothing more is written', async () => {
    const on = bench(hello);
    let written = 0;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (isHealthy('cert-manager')(event))
        void admin(on, 'PATCH', lease, { spec: { holderIdentity: 'deploy-thief' } });
      if (event.type === 'lease-lost') written = writes(on).length;
    });
    expect(written).toBeGreaterThan(0);
    expect(writes(on, written)).toEqual([]);
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.warnings[0]?.message).toBe('the run lease was taken by deploy-thief');
    expect(objects(on).get('Lease argocd/tiphys-hello')?.['spec']).toMatchObject({ holderIdentity: 'deploy-thief' });
    on.close();
  });

  it('a lease that is lost in the hand-over ends that, too: what it had still to write is not written', async () => {
    let awayUntil = 0;
    const isAway = (_request: unknown, now: number) => (now < awayUntil ? ({ kind: 'refuse' } as const) : undefined);
    const on = bench(hello, { apiFaults: { before: isAway } });
    let written = 0;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (event.type === 'phase-started' && event.phase === 'release') awayUntil = on.time.now() + 45_000;
      if (event.type === 'lease-lost') written = writes(on).length;
    });
    await on.time.run(on.time.sleep(60_000));
    on.close();
    expect(written).toBeGreaterThan(0);
    expect(writes(on, written)).toEqual([]);
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
  });

  it('a lost lease leaves what Argo CD was asked for to whoever has it now', async () => {
    const on = bench(hello, { timing: { operationPickup: () => 60_000 } });
    const act = (): void => void admin(on, 'PATCH', lease, { spec: { holderIdentity: 'deploy-thief' } });
    afterRequest(on, 'cert-manager', { afterMs: 1_000, act });
    const { run } = await deployOn(on);
    expect(run.warnings[0]?.message).toBe('the run lease was taken by deploy-thief');
    expect(underWay(on)).toContain('cert-manager');
    on.close();
  });

  it('a lease that somebody deleted is a lost one', async () => {
    const on = bench(hello);
    const { run } = await deployOn(
      on,
      {},
      undefined,
      once(isHealthy('cert-manager'), () => void admin(on, 'DELETE', lease)),
    );
    on.close();
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1, interrupted: expect.stringContaining('deleted') });
  });
});

describe('an API server that does not answer', () => {
  it('from the start: says so within about a minute, exit 1', async () => {
    const on = bench(hello, { apiFaults: { before: () => ({ kind: 'refuse' }) } });
    await expect(deployOn(on)).rejects.toMatchObject({
      message: expect.stringMatching(/^could not look for Argo CD: no answer to GET .*connect ECONNREFUSED$/),
      hint: 'Is the cluster up, and is this the right kubeconfig and context?',
      exitCode: 1,
    });
    on.close();
    expect(on.time.now() - virtualEpoch).toBeLessThan(120_000);
  });

  it('for a quarter of a minute: nobody notices', async () => {
    const on = bench(hello, { apiFaults: { before: outage(60_000, 15_000) } });
    expect((await deployOn(on)).run.exitCode).toBe(0);
    on.close();
  });

  it('for five minutes: the run ends with what it knows, its lease is lost, and the next run finishes', async () => {
    const on = bench(hello, { apiFaults: { before: outage(30_000, 300_000) } });
    const { run } = await deployOn(on);
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.warnings[0]?.message).toMatch(/^the run lease could not be renewed/);
    expect(on.time.now() - virtualEpoch).toBeLessThan(330_000);
    await on.time.run(on.time.sleep(300_000));
    const next = await deployOn(on);
    on.close();
    expect(next.run.exitCode).toBe(0);
  });
});

describe('a run that is killed', () => {
  it('at every fifth event leaves what the next run finishes, redoing nothing (R2.3)', async () => {
    const count = (await recorded()).events.length;
    for (let killAfter = 1; killAfter < count; killAfter += 5) {
      const on = bench(hello);
      let seen = 0;
      await killAt(on, 'deploy-killed', () => ++seen >= killAfter);
      await on.time.run(on.time.sleep(45_000));
      const done = new Set([...hello.apps.keys()].filter((name) => isDone(on, name)));
      const { run, events } = await deployOn(on);
      on.close();
      expect([killAfter, run.exitCode]).toEqual([killAfter, 0]);
      const synced = events.flatMap((event) => (event.type === 'operation-triggered' ? [event.node] : []));
      expect([killAfter, synced.filter((node) => done.has(node))]).toEqual([killAfter, []]);
    }
  });
});

function recorded(): Promise<Played> {
  const on = bench(hello);
  return deployOn(on).finally(on.close);
}

/** Runs until an event, then is gone: sends nothing more, waits for nothing more. */
async function killAt(on: Bench, runId: string, isTheEnd: (event: RunEvent) => boolean): Promise<void> {
  const victim = executorOn(hello, on, 7);
  const order = { platform: hello, runId, scope: { kind: 'platform' }, order: 'edges', parallelism: 0 } as const;
  await on.time.run(
    (async () => {
      for await (const event of deploy(victim.world, order, new AbortController().signal)) {
        if (!isTheEnd(event)) continue;
        victim.kill();
        return;
      }
    })(),
  );
}

function isDone(on: Bench, name: string): boolean {
  const status = application(on, name)?.['status'] as
    | { sync?: { status?: string }; operationState?: { phase?: string } }
    | undefined;
  return status?.sync?.status === 'Synced' && status.operationState?.phase === 'Succeeded';
}

function isHealthy(node: string): (event: RunEvent) => boolean {
  return (event) => event.type === 'node-healthy' && event.node === node;
}

function once(when: (event: RunEvent) => boolean, act: () => void): (event: RunEvent) => void {
  return (event) => {
    if (when(event)) act();
  };
}

function outage(fromMs: number, forMs: number) {
  return (_request: unknown, now: number) =>
    now >= virtualEpoch + fromMs && now < virtualEpoch + fromMs + forMs ? ({ kind: 'refuse' } as const) : undefined;
}

import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/core/report/report.ts';
import { validate } from '../../src/engine/validate.ts';
import { type Bench, bench, deployOn, type Played, platformFrom, platformOf, play, teardownOn } from '../harness.ts';
import { admin, application, argocdPath, chain, faults, objects, states, writes } from './look.ts';

const hello = platformFrom('platforms/hello');

describe('what Tiphys writes', () => {
  it('is never a field of an Application’s spec, in a whole life of a platform (R3.3)', async () => {
    const on = bench(hello, { faults: faults('database=sync-fails:1') });
    await deployOn(on);
    await teardownOn(on, { scope: { kind: 'app', name: 'web' } });
    await deployOn(on);
    await teardownOn(on, { includeCrds: true });
    on.close();
    const toApplications = writes(on).filter(({ resource }) => resource?.plural === 'applications');
    expect(toApplications.length).toBeGreaterThan(20);
    const fields = toApplications
      .flatMap(({ body }) => paths(body))
      .map((path) => path.replace(/^operation\..*/, 'operation'));
    expect([...new Set(fields)].sort()).toEqual([
      // The body of a delete.
      'apiVersion',
      'kind',
      'metadata.annotations.argocd.argoproj.io/refresh',
      'metadata.annotations.tiphys.dev/nonce',
      // The cascade finalizer, where it is missing.
      'metadata.finalizers',
      'metadata.resourceVersion',
      'operation',
      'preconditions.uid',
      'propagationPolicy',
      'status.operationState',
    ]);
  });

  it('goes to nothing but Applications, AppProjects and the lease while deploying', async () => {
    const on = bench(hello);
    await deployOn(on);
    on.close();
    expect(new Set(writes(on).map(({ resource }) => resource?.plural))).toEqual(
      new Set(['applications', 'appprojects', 'leases']),
    );
    const projectWrites = writes(on).filter(({ resource }) => resource?.plural === 'appprojects');
    expect(new Set(projectWrites.flatMap(({ body }) => Object.keys((body as { spec: object }).spec)))).toEqual(
      new Set(['syncWindows']),
    );
  });

  it('carries our id: every operation says which run and which step it is', async () => {
    const on = bench(hello);
    await deployOn(on, { runId: 'deploy-marked' });
    on.close();
    const operations = writes(on).flatMap(({ body }) => {
      const { operation } = body as { operation?: { info: object; initiatedBy: object } };
      return operation === undefined || operation === null ? [] : [operation];
    });
    expect(operations.length).toBeGreaterThan(8);
    for (const { info, initiatedBy } of operations) {
      expect(initiatedBy).toEqual({ username: 'tiphys' });
      expect(info).toEqual([
        { name: 'tiphys.dev/run', value: 'deploy-marked' },
        { name: 'tiphys.dev/step', value: expect.stringMatching(/^[a-z-]+\/[0-9a-f]{12}$/) },
      ]);
    }
  });
});

describe('validate', () => {
  it('writes nothing, and finds a platform that was just deployed healthy (R7.7)', async () => {
    const on = bench(hello);
    await deployOn(on);
    const before = writes(on).length;
    const { run, found } = await validated(on);
    on.close();
    expect(run).toMatchObject({ outcome: 'healthy', exitCode: 0 });
    // Nothing worth more than an information: the sandbox's Applications carry no finalizer.
    expect(found.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['cascade-finalizer']));
    expect(writes(on, before)).toEqual([]);
  });

  it('writes nothing on a broken one either: degraded is 2, failed or nothing there is 1', async () => {
    const degraded = bench(hello, { faults: faults('ingress=degraded') });
    await deployOn(degraded);
    const before = writes(degraded).length;
    expect((await validated(degraded)).run).toMatchObject({ outcome: 'degraded', exitCode: 2 });
    expect(writes(degraded, before)).toEqual([]);
    degraded.close();

    const failed = bench(hello, { faults: faults('ingress=sync-fails') });
    await deployOn(failed);
    const { run, found } = await validated(failed);
    expect(run).toMatchObject({ outcome: 'unhealthy', exitCode: 1 });
    expect(run.nodes.get('ingress')?.because).toMatch(/^the last sync failed/);
    expect(found.filter(({ rule }) => rule === 'not-held').map(({ node }) => node)).toEqual(['ingress']);
    failed.close();

    const empty = bench(hello);
    expect((await validated(empty)).run).toMatchObject({ outcome: 'unhealthy', exitCode: 1 });
    expect(writes(empty)).toEqual([]);
    empty.close();
  });
});

describe('somebody else at the same Applications', () => {
  const byAlice = { initiatedBy: { username: 'alice' }, sync: { syncOptions: ['CreateNamespace=true'] } };
  const deadline = 'defaults: { timeouts: { sync: 2m } }\nstacks:';

  it('is waited for, never overwritten: an operation of theirs runs to its end first', async () => {
    // Theirs begins as soon as the Application is there, and outlasts the turn of what it needs.
    const scenario = { defaults: { syncMs: 20_000 }, apps: new Map([['b', { syncMs: 120_000 }]]) };
    const on = bench(platformOf(chain), { scenario });
    const seen: string[] = [];
    on.sandbox.store.subscribe(({ type, object }) => {
      if (object.kind !== 'Application' || object.metadata.name !== 'b') return;
      if (type === 'ADDED') void admin(on, 'PATCH', `${argocdPath}/applications/b`, { operation: byAlice });
      const operation = object['operation'] as { initiatedBy?: { username?: string } } | undefined;
      const phase = (object['status'] as { operationState?: { phase?: string } } | undefined)?.operationState?.phase;
      const now = `${operation?.initiatedBy?.username ?? 'nobody'}: ${phase ?? 'nothing'}`;
      if (seen.at(-1) !== now) seen.push(now);
    });
    const { run, events } = await deployOn(on);
    on.close();
    expect(run.exitCode).toBe(0);
    expect(seen).toEqual([
      'nobody: nothing',
      'alice: nothing',
      'alice: Running',
      'nobody: Succeeded',
      'tiphys: nothing',
      'tiphys: Running',
      'nobody: Succeeded',
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ node: 'b', message: 'waits for an operation by alice to finish' }),
    );
  });

  it('with a window that forbids manual syncs: a time-out that names the window and its AppProject', async () => {
    const on = bench(platformOf(chain.replace('stacks:', deadline)));
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (event.type === 'hold-set' && event.project === 's') void forbid(on, 's', 'a');
    });
    expect(run.nodes.get('a')).toMatchObject({
      state: 'failed',
      timedOut: true,
      because: 'the sync did not finish in time: Sync operation blocked by sync window',
      hint: 'A sync window of AppProject s forbids manual syncs: change it, or wait until it closes.',
    });
    expect(states(run)).toMatchObject({ b: 'blocked', c: 'blocked', d: 'healthy' });
    // The operation that could not begin was taken back: it must not start when the window closes, with nobody watching.
    expect(application(on, 'a')?.['operation']).toBeUndefined();
    expect(windows(on, 's')[0]).toMatchObject({ manualSync: false, applications: ['a'] });
    on.close();
  });
});

describe('a cluster that is not ready for it', () => {
  it('without the root Application is told what to do, before anything is written', async () => {
    const on = bench(hello, { start: 'bare' });
    await expect(deployOn(on)).rejects.toMatchObject({
      message: 'the root Application hello-root is not in the cluster',
      hint: expect.stringContaining('the README shows how'),
      exitCode: 1,
    });
    expect(writes(on)).toEqual([]);
    expect((await teardownOn(on)).run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    expect(writes(on)).toEqual([]);
    on.close();
  });

  it('without Argo CD is told that it is missing', async () => {
    const on = bench(hello);
    await admin(on, 'DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applications.argoproj.io');
    await on.time.run(on.time.sleep(60_000));
    await expect(deployOn(on)).rejects.toMatchObject({
      message: 'Argo CD is not installed in this cluster: it serves no Applications',
      exitCode: 1,
    });
    on.close();
  });
});

async function validated(on: Bench): Promise<Played & { found: readonly Finding[] }> {
  let found: readonly Finding[] = [];
  const order = {
    platform: on.platform,
    runId: 'validate-1',
    scope: { kind: 'platform' },
    found: (all: readonly Finding[]) => {
      found = all;
    },
  } as const;
  const played = await on.time.run(play(validate(on.world, order, new AbortController().signal)));
  return { ...played, found };
}

/** Dotted paths of the leaves of a request's body. */
function paths(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path === '' ? [] : [path];
  return Object.entries(value).flatMap(([key, inner]) => paths(inner, path === '' ? key : `${path}.${key}`));
}

interface Window {
  readonly manualSync?: boolean;
  readonly applications?: readonly string[];
}

function windows(on: Bench, project: string): readonly Window[] {
  const spec = objects(on).get(`AppProject argocd/${project}`)?.['spec'] as { syncWindows?: Window[] } | undefined;
  return spec?.syncWindows ?? [];
}

async function forbid(on: Bench, project: string, name: string): Promise<void> {
  const theirs = { kind: 'deny', schedule: '* * * * *', duration: '24h', applications: [name], manualSync: false };
  await admin(on, 'PATCH', `${argocdPath}/appprojects/${project}`, {
    spec: { syncWindows: [theirs, ...windows(on, project)] },
  });
}

import { describe, expect, it } from 'vitest';
import { type Bench, bench, deployOn, executorOn, platformFrom, platformOf, teardownOn } from '../harness.ts';
import { admin, chain, faults, objects, states, writes } from './look.ts';
import { serveSnapshots } from './snapshots.ts';

const hello = platformFrom('platforms/hello');

describe('PersistentVolumes (R6.7)', () => {
  it('are kept by default and listed as retained, though their storage class says delete', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on);
    on.close();
    expect(run.exitCode).toBe(0);
    const volumes = kinds(on, 'PersistentVolume');
    expect(volumes).toHaveLength(1);
    expect(run.retained).toContainEqual({
      object: `PersistentVolume ${volumes[0]?.metadata.name}`,
      because: 'pv-policy retain keeps the data',
    });
  });

  it('go with pv-policy delete', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on, { pvPolicy: 'delete' });
    on.close();
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    expect(kinds(on, 'PersistentVolume')).toEqual([]);
  });

  it('cannot be snapshotted without the API for it: refused with exit 3 before anything is held or removed', async () => {
    const on = await deployed();
    const before = writes(on).length;
    await expect(teardownOn(on, { pvPolicy: 'snapshot' })).rejects.toMatchObject({
      message: 'this cluster has no VolumeSnapshot API, so no volume can be snapshotted',
      hint: 'Install the snapshot CRDs and controller of your CSI driver, or choose --pv-policy retain.',
      exitCode: 3,
    });
    on.close();
    expect(writes(on, before)).toEqual([]);
  });

  it('are snapshotted first, one by one, before anything goes', async () => {
    const on = await deployed();
    await serveSnapshots(on);
    const { run } = await teardownOn(on, { pvPolicy: 'snapshot', runId: 'teardown-7' });
    on.close();
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    const made = writes(on).find(({ resource }) => resource?.plural === 'volumesnapshots');
    expect(made).toMatchObject({
      method: 'POST',
      body: {
        metadata: { name: 'database-data-teardown-7', labels: { 'tiphys.dev/run': 'teardown-7' } },
        spec: { source: { persistentVolumeClaimName: 'database-data' } },
      },
    });
    const firstDelete = writes(on)
      .slice(writes(on).indexOf(made as never))
      .find(({ method }) => method === 'DELETE');
    expect(firstDelete?.at).toBeGreaterThanOrEqual((made?.at ?? Number.POSITIVE_INFINITY) + 5_000);
  });
});

describe('definitions', () => {
  it('are kept unless asked for, and said to be', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on);
    on.close();
    const kept = run.retained.filter(({ object }) => object.startsWith('CustomResourceDefinition'));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept[0]).toMatchObject({
      because: 'definitions are kept unless --include-crds is given',
      node: 'cert-manager',
    });
    expect(definitionsOf(on, 'cert-manager').length).toBeGreaterThan(0);
  });

  it('go with --include-crds', async () => {
    const on = await deployed();
    expect((await teardownOn(on, { includeCrds: true })).run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    on.close();
    expect(definitionsOf(on, 'cert-manager')).toEqual([]);
  });
});

describe('a teardown of one app', () => {
  it('removes it with its namespace, and nothing creates it again: its parents stay held', async () => {
    const on = bench(platformOf(chain));
    await deployOn(on);
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'c' } });
    expect(states(run)).toEqual({ c: 'removed' });
    expect(run.exitCode).toBe(0);
    await on.time.run(on.time.sleep(30 * 60_000));
    expect(objects(on).has('Application argocd/c')).toBe(false);
    expect(objects(on).has('Namespace /c')).toBe(false);
    expect(objects(on).has('Application argocd/b')).toBe(true);
    expect(heldIn(on, 'default')).toEqual(['c', 'chain-root', 'chain-s']);
    // Deploying brings it back and hands everything over.
    expect((await deployOn(on)).run.exitCode).toBe(0);
    expect(heldIn(on, 'default')).toEqual([]);
    on.close();
  });

  it('leaves a namespace alone that was to go once and is lived in again', async () => {
    const on = bench(platformOf(chain));
    await deployOn(on);
    const theirs = '/api/v1/namespaces/c/configmaps';
    await admin(on, 'POST', theirs, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } });
    expect((await teardownOn(on, { scope: { kind: 'app', name: 'c' } })).run.exitCode).toBe(2);
    await deployOn(on);
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'd' } });
    on.close();
    expect(run).toMatchObject({ exitCode: 0, orphans: [] });
    expect(objects(on).has('Namespace /c')).toBe(true);
    expect(objects(on).has('Namespace /d')).toBe(false);
  });

  it('is refused by what still needs it, by name; with its dependents it goes (INV-5)', async () => {
    const on = bench(platformOf(chain));
    await deployOn(on);
    const before = writes(on).length;
    const alone = await teardownOn(on, { scope: { kind: 'app', name: 'b' } });
    expect(alone.run.nodes.get('b')).toMatchObject({
      state: 'retained',
      because: 'kept: c, which needs it, is still there',
    });
    expect(writes(on, before)).toEqual([]);
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'b' }, with: 'dependents' });
    on.close();
    expect(states(run)).toEqual({ b: 'removed', c: 'removed' });
  });
});

describe('a teardown that goes on', () => {
  it('after something was stuck leaves nothing, not even the namespaces of what the first run removed (R2.4)', async () => {
    const on = bench(hello, { faults: faults('ingress=stuck-finalizer') });
    const before = objects(on);
    await deployOn(on);
    expect((await teardownOn(on, everything)).run.exitCode).toBe(2);
    on.sandbox.fix('ingress');
    await on.time.run(on.time.sleep(60_000));
    expect((await teardownOn(on, everything)).run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    on.close();
    expect(left(on, before)).toEqual([]);
  });

  it('after a kill leaves nothing either', async () => {
    for (const killAfter of [12, 20, 26]) {
      const on = bench(hello);
      const before = objects(on);
      await deployOn(on);
      const victim = executorOn(hello, on, 9);
      let seen = 0;
      await on.time
        .run(
          teardownOn(
            { ...on, time: { ...on.time, run: (until) => until }, world: victim.world },
            everything,
            undefined,
            () => {
              if (++seen === killAfter) throw new Error('killed');
            },
          ),
        )
        .catch(() => victim.kill());
      await on.time.run(on.time.sleep(90_000));
      const { run } = await teardownOn(on, everything);
      on.close();
      expect([killAfter, run.exitCode, left(on, before)]).toEqual([killAfter, 0, []]);
    }
  });

  it('reports nothing as held when all is gone', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on, everything);
    on.close();
    expect([...run.held]).toEqual([]);
  });

  it('keeps a namespace in which somebody else has something, and names it', async () => {
    const on = await deployed();
    await admin(on, 'POST', '/api/v1/namespaces/web/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs' },
    });
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(run).toMatchObject({ outcome: 'orphans', exitCode: 2 });
    expect(run.orphans).toEqual([
      {
        object: 'ConfigMap web/theirs',
        because: 'nothing has deleted it',
        hint: 'kubectl delete configmap theirs -n web',
      },
    ]);
    expect(objects(on).has('Namespace /web')).toBe(true);
    expect(objects(on).has('Namespace /ingress')).toBe(false);
  });
});

const everything = { stateful: 'all', includeCrds: true, pvPolicy: 'delete' } as const;

async function deployed(): Promise<Bench> {
  const on = bench(hello);
  expect((await deployOn(on)).run.exitCode).toBe(0);
  return on;
}

function kinds(on: Bench, kind: string) {
  return [...objects(on).values()].filter((object) => object.kind === kind);
}

function definitionsOf(on: Bench, application: string) {
  // Argo CD puts no mark on definitions; those of an app are named after it here.
  return kinds(on, 'CustomResourceDefinition').filter(({ metadata }) => metadata.name.includes(application));
}

function left(on: Bench, before: ReadonlyMap<string, unknown>): string[] {
  return [...objects(on).keys()].filter((key) => !before.has(key));
}

function heldIn(on: Bench, project: string): string[] {
  const spec = objects(on).get(`AppProject argocd/${project}`)?.['spec'] as
    | { syncWindows?: { applications: string[] }[] }
    | undefined;
  return (spec?.syncWindows ?? []).flatMap(({ applications }) => applications);
}

import { describe, expect, it } from 'vitest';
import { paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, executorOn, platformFrom, platformOf, teardownOn } from '../harness.ts';
import { admin, chain, faults, objects, states, writes } from './look.ts';
import { addToGit, claim, claims, configMap, held, strangerLike, volumeOf } from './teardown-scene.ts';

const hello = platformFrom('platforms/hello');
const everything = { stateful: 'all', includeCrds: true, pvPolicy: 'delete' } as const;

/** What a teardown must not take along, though it could. */
describe('data in a namespace where something stays (R6.7)', () => {
  it('is kept with an app whose claim stands in Git', async () => {
    const on = bench(hello);
    addToGit(on, paths.app('web'), claim('web-data', 'database'));
    await deployOn(on);
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'web' } });
    on.close();
    expect([states(run), run.exitCode]).toEqual([{ web: 'removed' }, 0]);
    expect(objects(on).has('PersistentVolumeClaim database/web-data')).toBe(false);
    const volume = volumeOf(on, 'web-data');
    expect(run.retained).toEqual([
      { object: `PersistentVolume ${volume}`, because: 'pv-policy retain keeps the data' },
    ]);
  });

  it('is kept when an operator lets a claim go that nobody can call somebody’s; what is not touched is not told', async () => {
    const on = bench(hello);
    addToGit(on, paths.app('ingress'), { ...configMap('shared'), metadata: { name: 'shared', namespace: 'web' } });
    await deployOn(on);
    for (const name of ['operated', 'theirs']) await admin(on, 'POST', claims('web'), claim(name, 'web'));
    await on.time.run(on.time.sleep(60_000));
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'web' } }, undefined, (event) => {
      if (event.type === 'node-started') void admin(on, 'DELETE', `${claims('web')}/operated`);
    });
    on.close();
    expect(objects(on).has('PersistentVolumeClaim web/operated')).toBe(false);
    expect(objects(on).has('PersistentVolumeClaim web/theirs')).toBe(true);
    const told = run.retained.filter(({ object }) => object.startsWith('PersistentVolume '));
    expect(told).toEqual([
      {
        object: `PersistentVolume ${volumeOf(on, 'operated')}`,
        because: 'its claim went with what was removed, in a namespace where something stays',
      },
    ]);
  });

  it('is kept when its claim came after the inventory', async () => {
    const on = bench(hello);
    await deployOn(on);
    let isThere = false;
    const { run } = await teardownOn(on, {}, undefined, (event) => {
      if (isThere || event.type !== 'node-removed') return;
      isThere = true;
      void admin(on, 'POST', claims('cert-manager'), claim('late', 'cert-manager'));
    });
    on.close();
    expect([isThere, run.exitCode, objects(on).has('Namespace /cert-manager')]).toEqual([true, 0, false]);
    expect(run.retained).toContainEqual({
      object: `PersistentVolume ${volumeOf(on, 'late')}`,
      because: 'pv-policy retain keeps the data',
    });
  });
});

describe('a part that something needs which stays (INV-5)', () => {
  const dag = (needs: string): string => `apiVersion: tiphys.dev/v1
kind: Platform
name: parted
stacks:
  core:
    apps:
      operator:
        type: operator
        parts:
          crds: { kinds: [CustomResourceDefinition] }
          account: { kinds: [ServiceAccount] }
      db: { stateful: true, needs: [${needs}] }
`;
  const parted = platformOf(dag('operator#crds, operator#account'));
  const keepingData = { ...everything, stateful: new Set<string>() };

  it.each([
    { what: 'outlives its app when it is definitions', needs: 'operator#crds', operator: 'removed' },
    {
      what: 'stays with its app when it is anything else',
      needs: 'operator#crds, operator#account',
      operator: 'retained',
    },
  ])('$what, definitions asked for or not, in this run and in later ones', async ({ needs, operator }) => {
    const on = bench(platformOf(dag(needs)));
    addToGit(on, paths.app('operator'), claim('operator-data', 'operator'));
    await deployOn(on);
    const kinds =
      operator === 'removed'
        ? /^CustomResourceDefinition .*operator/
        : /(Definition|Account|Claim|^Deployment) .*operator/;
    const brought = (): string[] => [...objects(on).keys()].filter((key) => kinds.test(key));
    const before = brought();
    expect(before).toHaveLength(operator === 'removed' ? 1 : 4);
    const { run } = await teardownOn(on, keepingData);
    expect(states(run)).toMatchObject({ db: 'retained', operator, 'operator#crds': 'retained' });
    expect([run.exitCode, brought()]).toEqual([0, before]);
    const written = writes(on).length;
    expect((await teardownOn(on, keepingData)).run.exitCode).toBe(0);
    expect([brought(), writes(on, written)]).toEqual([before, []]);
    const last = await teardownOn(on, everything);
    on.close();
    expect([last.run.exitCode, brought()]).toEqual([0, []]);
  });

  it('loses nothing that Git says must stay', async () => {
    const on = bench(parted);
    const annotations = { 'argocd.argoproj.io/sync-options': 'Delete=false' };
    addToGit(on, paths.app('operator'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'lasting', annotations },
    });
    await deployOn(on);
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(objects(on).has('ServiceAccount operator/lasting')).toBe(true);
    expect(run.retained).toContainEqual({
      object: 'ServiceAccount operator/lasting',
      because: 'its sync option Delete=false keeps it',
      node: 'operator#account',
    });
  });
});

describe('what a failed deploy has left held', () => {
  it('does not start because something else was taken down (INV-4)', async () => {
    const on = bench(platformOf(chain), { faults: faults('b=degraded') });
    expect((await deployOn(on)).run.exitCode).toBe(2);
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'd' } });
    await on.time.run(on.time.sleep(30 * 60_000));
    expect([run.exitCode, objects(on).has('Deployment c/c')]).toEqual([0, false]);
    expect(held(on)).toEqual(expect.arrayContaining(['b', 'c']));
    expect(held(on)).not.toContain('a');
    on.sandbox.fix('b');
    expect((await deployOn(on)).run.exitCode).toBe(0);
    expect(held(on)).toEqual([]);
    on.close();
  });
});

describe('an Application that dag.yaml does not know', () => {
  it('keeps its parent from being taken down, before anything is touched', async () => {
    const on = bench(hello);
    const stranger = objects(on).get('Application argocd/hello-root');
    addToGit(on, paths.stack('shop'), strangerLike(stranger));
    await deployOn(on);
    await on.time.run(on.time.sleep(10 * 60_000));
    expect(objects(on).has('Application argocd/stranger')).toBe(true);
    const before = writes(on).length;
    await expect(teardownOn(on)).rejects.toMatchObject({
      message: 'stranger would go with hello-shop, but dag.yaml does not know them',
      hint: expect.stringContaining('--scope'),
    });
    expect(writes(on, before).filter(({ user }) => user !== 'argocd')).toEqual([]);
    expect((await teardownOn(on, { scope: { kind: 'app', name: 'web' } })).run.exitCode).toBe(0);
    expect(objects(on).has('Application argocd/stranger')).toBe(true);
    on.close();
  });
});

describe('a namespace that stands in Git', () => {
  it.each([
    ['an app', paths.app('web'), 'web'],
    ['a parent', paths.stack('shop'), 'extra'],
  ])('with %s goes when it is empty, and stays with what others have in it', async (_whose, path, name) => {
    for (const theirs of [false, true]) {
      const on = bench(hello);
      addToGit(on, path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await deployOn(on);
      await on.time.run(on.time.sleep(10 * 60_000));
      expect(objects(on).has(`Namespace /${name}`)).toBe(true);
      if (theirs) await admin(on, 'POST', `/api/v1/namespaces/${name}/configmaps`, configMap('theirs'));
      const { run } = await teardownOn(on, everything);
      on.close();
      expect([objects(on).has(`Namespace /${name}`), objects(on).has(`ConfigMap ${name}/theirs`)]).toEqual([
        theirs,
        theirs,
      ]);
      expect([run.exitCode, run.orphans.map(({ object }) => object)]).toEqual(
        theirs ? [2, [`ConfigMap ${name}/theirs`]] : [0, []],
      );
    }
  });
});

describe('a teardown that keeps something, after a kill', () => {
  it('is gone on with until what stays is Argo CD’s again and no namespace is left over', async () => {
    for (const killAfter of [14, 18, 22, 24, 26, 28]) {
      const on = bench(hello);
      await deployOn(on);
      await killedTeardown(on, killAfter);
      await on.time.run(on.time.sleep(90_000));
      const { run } = await teardownOn(on, keeping);
      const there = ['web', 'ingress', 'cert-manager'].filter((name) => objects(on).has(`Namespace /${name}`));
      // The parents stay held, and what they would create again.
      const waiting = ['cert-manager', 'hello-base', 'hello-root', 'hello-shop', 'ingress', 'web'];
      expect([killAfter, run.exitCode, there, held(on)]).toEqual([killAfter, 0, [], waiting]);
      const before = writes(on).length;
      expect((await teardownOn(on, keeping)).run.exitCode).toBe(0);
      expect(writes(on, before)).toEqual([]);
      on.close();
    }
  });

  const keeping = { includeCrds: true, stateful: new Set<string>() };

  async function killedTeardown(on: Bench, killAfter: number): Promise<void> {
    const victim = executorOn(hello, on, 9);
    let seen = 0;
    const time = { ...on.time, run: <T>(until: Promise<T>) => until };
    const killed = teardownOn({ ...on, time, world: victim.world }, keeping, undefined, () => {
      if (++seen === killAfter) throw new Error('killed');
    });
    await on.time.run(killed).catch(() => victim.kill());
  }
});

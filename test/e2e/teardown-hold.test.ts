import { describe, expect, it } from 'vitest';
import { paths } from '../../src/sandbox/world/applications.ts';
import { bench, deployOn, executorOn, platformOf, teardownOn } from '../harness.ts';
import { chain, objects, writes } from './look.ts';
import { addToGit, configMap, held } from './teardown-scene.ts';

const signal = new AbortController().signal;

describe('what a teardown of one stack has kept', () => {
  const platform = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: stacked
stacks:
  lower: { apps: { a: {}, d: {} } }
  upper: { apps: { c: { needs: [a] } } }
`);
  const lower = { scope: { kind: 'stack', name: 'lower' } } as const;

  it('is Argo CD’s again after the next one, though the first was killed when nothing else was left to do', async () => {
    const on = bench(platform);
    addToGit(on, paths.app('a'), { ...configMap('shared'), metadata: { name: 'shared', namespace: 'd' } });
    await deployOn(on);
    const victim = executorOn(platform, on, 9);
    const time = { ...on.time, run: <T>(until: Promise<T>) => until };
    const killed = teardownOn({ ...on, time, world: victim.world }, lower, undefined, (event) => {
      if (event.type === 'deletion-progress') throw new Error('killed');
    });
    await on.time.run(killed).catch(() => victim.kill());
    await on.time.run(on.time.sleep(90_000));
    expect([objects(on).has('Application argocd/d'), held(on)]).toEqual([false, ['a', 'd']]);
    expect((await teardownOn(on, lower)).run.exitCode).toBe(0);
    expect(held(on)).toEqual(['d']);
    const before = writes(on).length;
    await teardownOn(on, lower);
    on.close();
    expect(writes(on, before)).toEqual([]);
  });
});

describe('what was held before a teardown', () => {
  it('stays held when it has changed since, and so does what needs that (INV-4)', async () => {
    const on = bench(platformOf(chain));
    await deployOn(on);
    await on.time.run(on.world.argocd.hold('s', ['b', 'c'], signal));
    addToGit(on, paths.app('b'), configMap('new'));
    const { run } = await teardownOn(on, { scope: { kind: 'app', name: 'd' } });
    await on.time.run(on.time.sleep(30 * 60_000));
    on.close();
    expect(run.exitCode).toBe(0);
    expect(held(on)).toEqual(expect.arrayContaining(['b', 'c']));
    expect(objects(on).has('ConfigMap b/new')).toBe(false);
  });
});

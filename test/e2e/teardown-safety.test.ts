import { describe, expect, it } from 'vitest';
import { paths } from '../../src/sandbox/world/applications.ts';
import { bench, deployOn, platformFrom, platformOf, teardownOn } from '../harness.ts';
import { admin, faults, objects, states, writes } from './look.ts';
import { addToGit, configMap } from './teardown-scene.ts';

const hello = platformFrom('platforms/hello');
const everything = { stateful: 'all', includeCrds: true, pvPolicy: 'delete' } as const;

describe('a part that something needs which is still there (INV-5)', () => {
  const operated = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: operated
stacks:
  core:
    apps:
      operator:
        type: operator
        parts: { crds: { kinds: [CustomResourceDefinition] } }
      db: { needs: [operator#crds] }
      web: { needs: [db] }
      other: {}
`);

  it('outlives a teardown that is about something else', async () => {
    const on = bench(operated);
    await deployOn(on);
    const definitions = definitionsOf(on);
    expect(definitions.length).toBeGreaterThan(0);
    for (const name of ['operator', 'other']) {
      const { run } = await teardownOn(on, { ...everything, scope: { kind: 'app', name } });
      expect([run.exitCode, run.retained.map(({ because }) => because)]).toEqual([
        0,
        ['something that is still there needs it'],
      ]);
    }
    expect(definitionsOf(on)).toEqual(definitions);
    expect((await teardownOn(on, everything)).run.exitCode).toBe(0);
    on.close();
    expect(definitionsOf(on)).toEqual([]);
  });

  it('outlives a teardown in which something is stuck, and goes with the next', async () => {
    const on = bench(operated, { faults: faults('web=stuck-finalizer') });
    await deployOn(on);
    const definitions = definitionsOf(on);
    const { run } = await teardownOn(on, everything);
    expect(states(run)).toMatchObject({ web: 'orphaned', db: 'blocked', 'operator#crds': 'blocked' });
    expect([run.exitCode, definitionsOf(on)]).toEqual([2, definitions]);
    on.sandbox.fix('web');
    await on.time.run(on.time.sleep(60_000));
    expect((await teardownOn(on, everything)).run.exitCode).toBe(0);
    on.close();
    expect(definitionsOf(on)).toEqual([]);
  });

  it('is a namespace, and empty', async () => {
    const spacious = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: spacious
stacks:
  core:
    apps:
      operator: { parts: { spaces: { kinds: [Namespace] } } }
      db: { needs: [operator#spaces] }
`);
    const on = bench(spacious, { faults: faults('db=stuck-finalizer') });
    addToGit(on, paths.app('operator'), namespace('space'));
    await deployOn(on);
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(states(run)).toEqual({ db: 'orphaned', operator: 'removed', 'operator#spaces': 'blocked' });
    expect(objects(on).has('Namespace /space')).toBe(true);
  });
});

describe('a namespace that Git says to keep', () => {
  const option = { 'argocd.argoproj.io/sync-options': 'Delete=false' };
  const helm = { 'helm.sh/resource-policy': 'keep' };

  const web = paths.app('web');
  const shop = paths.stack('shop');

  it.each([
    { whose: 'its app’s own', path: web, name: 'web', says: option, because: 'its sync option Delete=false keeps it' },
    {
      whose: 'another one of an app',
      path: web,
      name: 'more',
      says: helm,
      because: 'its Helm resource policy keeps it',
    },
    { whose: 'a parent’s', path: shop, name: 'more', says: option, because: 'its sync option Delete=false keeps it' },
    { whose: 'a parent’s', path: shop, name: 'more', says: helm, because: 'its Helm resource policy keeps it' },
  ])('stays, though it is empty, and is nothing that is left to do: $whose', async ({ path, name, says, because }) => {
    const on = bench(hello);
    addToGit(on, path, namespace(name, says));
    await deployOn(on);
    await on.time.run(on.time.sleep(10 * 60_000));
    const { run } = await teardownOn(on, everything);
    expect([run.exitCode, objects(on).has(`Namespace /${name}`)]).toEqual([0, true]);
    expect(run.retained).toContainEqual({ object: `Namespace ${name}`, because });
    const before = writes(on).length;
    expect((await teardownOn(on, everything)).run.exitCode).toBe(0);
    on.close();
    expect(writes(on, before)).toEqual([]);
    expect(objects(on).get(`Namespace /${name}`)?.metadata.annotations).toMatchObject(says);
  });
});

describe('what told Argo CD to leave a namespace', () => {
  it('goes when its Application has gone, and nobody’s own options with it', async () => {
    const on = bench(hello);
    addToGit(on, paths.app('web'), namespace('web', { [syncOptions]: 'Prune=false' }));
    addToGit(on, paths.stack('shop'), namespace('extra'));
    await deployOn(on);
    await on.time.run(on.time.sleep(10 * 60_000));
    for (const name of ['web', 'extra'])
      await admin(on, 'POST', `/api/v1/namespaces/${name}/configmaps`, configMap('theirs'));
    expect((await teardownOn(on, everything)).run.exitCode).toBe(2);
    const optionsOf = (name: string) => {
      const { annotations = {} } = objects(on).get(`Namespace /${name}`)?.metadata ?? {};
      return [annotations[syncOptions], annotations['tiphys.dev/spared']];
    };
    expect([optionsOf('web'), optionsOf('extra')]).toEqual([
      ['Prune=false', undefined],
      [undefined, undefined],
    ]);
    // An earlier run has left them.
    const annotations = { [syncOptions]: 'Delete=false,Prune=confirm', 'tiphys.dev/spared': 'true' };
    await admin(on, 'PATCH', '/api/v1/namespaces/web', { metadata: { annotations } });
    expect((await teardownOn(on, everything)).run.exitCode).toBe(2);
    on.close();
    expect(optionsOf('web')).toEqual([undefined, undefined]);
  });
});

const syncOptions = 'argocd.argoproj.io/sync-options';

function namespace(name: string, annotations: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
}

function definitionsOf(on: Parameters<typeof objects>[0]): string[] {
  return [...objects(on).keys()].filter((key) => /^CustomResourceDefinition .*operator/.test(key));
}

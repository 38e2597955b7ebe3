import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { appProject, paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { belongingTo, change } from './in-git.ts';
import { admin, argocdPath, faults, objects } from './look.ts';

/** `web` waits for the database, which takes minutes; its Application is made meanwhile, held. */
const dag = `
apiVersion: tiphys.dev/v1
kind: Platform
name: acme
root: acme-root
stacks:
  s: { application: acme-s, apps: { projects: {}, database: { type: database }, web: { needs: [database, projects] } } }
`;
const minutes = 60_000;

describe('an AppProject that appears while apps become Healthy', () => {
  it.each([
    ['the app of which it is a part', 'projects'],
    ['an app that takes its time', 'database'],
    ['somebody', undefined],
  ])('is held at once when %s brings it, so that Argo CD starts nobody who belongs to it (INV-1)', async (_who, by) => {
    const on = bench(platformOf(dag), {
      scenario: { defaults: {}, apps: new Map([['database', { readyMs: 10 * minutes }]]) },
    });
    const team = appProject(on.platform.environment, 'team');
    if (by !== undefined) change(on, paths.app(by), (objects) => [...objects, team]);
    change(on, paths.stack('s'), (objects) => objects.map(belongingTo('team', 'web')));
    let healthyAt = 0;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (event.type === 'node-healthy' && event.node === 'database') healthyAt = on.time.now();
      if (by === undefined && event.type === 'node-started' && event.node === 'database')
        void on.time.sleep(4 * minutes).then(() => admin(on, 'POST', `${argocdPath}/appprojects`, team));
    });
    expect(run.outcome).toBe('success');
    const begun = on.sandbox.changes.find(
      ({ object }) => object.metadata.name === 'web' && object['operation'] !== undefined,
    );
    expect(begun?.at).toBeGreaterThan(healthyAt);
    on.close();
  });
});

describe('an AppProject whose windows stand in Git, under another stack’s parent', () => {
  const two = platformOf(`
apiVersion: tiphys.dev/v1
kind: Platform
name: acme
root: acme-root
stacks:
  s: { application: acme-s, apps: { tools: {} } }
  t: { application: acme-t, apps: { database: { type: database }, web: { needs: [database] }, notes: {} } }
`);
  const window = { kind: 'allow', schedule: '* * * * *', duration: '24h', applications: ['*'], manualSync: true };

  function withOwnWindows(fault?: string): Bench {
    const on = bench(two, fault === undefined ? {} : { faults: faults(fault) });
    const team = appProject(on.platform.environment, 'team', { syncWindows: [window] });
    change(on, paths.stack('s'), (objects) => [...objects, team]);
    for (const app of ['database', 'web', 'notes'])
      change(on, paths.stack('t'), (objects) => objects.map(belongingTo('team', app)));
    return on;
  }

  it('is not healed by that parent while something in it is held: a dependent of what failed never starts (INV-4)', async () => {
    const on = withOwnWindows('database=degraded');
    const { run } = await deployOn(on);
    expect([run.exitCode, [...run.held].sort()]).toEqual([2, ['acme-root', 'acme-s', 'acme-t', 'database', 'web']]);
    await on.time.run(on.time.sleep(60 * minutes));
    expect(objects(on).has('Application argocd/web')).toBe(true);
    expect(objects(on).has('Deployment web/web')).toBe(false);
    on.sandbox.fix('database');
    const next = await deployOn(on);
    expect([next.run.exitCode, [...next.run.held]]).toEqual([0, []]);
    on.close();
  });

  it('nor by the parent that brings the AppProject of who brings that one (INV-4)', async () => {
    const on = bench(two, { faults: faults('database=degraded') });
    const [infra, team] = ['infra', 'team'].map((name) =>
      appProject(on.platform.environment, name, { syncWindows: [window] }),
    ) as [KubeObject, KubeObject];
    change(on, paths.stack('s'), (objects) => [...objects, infra]);
    change(on, paths.stack('t'), (objects) => [...objects, team]);
    change(on, paths.root, (objects) => objects.map(belongingTo('infra', 'acme-t')));
    for (const app of ['database', 'web', 'notes'])
      change(on, paths.stack('t'), (objects) => objects.map(belongingTo('team', app)));
    const { run } = await deployOn(on);
    expect([run.exitCode, [...run.held].sort()]).toEqual([2, ['acme-root', 'acme-s', 'acme-t', 'database', 'web']]);
    await on.time.run(on.time.sleep(60 * minutes));
    expect(objects(on).has('Deployment web/web')).toBe(false);
    on.close();
  });

  it('stays held for nobody: an app that brings an AppProject is free after a run that was about something else', async () => {
    const on = withOwnWindows();
    const other = appProject(on.platform.environment, 'other');
    change(on, paths.app('tools'), (objects) => [...objects, other]);
    change(on, paths.stack('t'), (objects) => objects.map(belongingTo('other', 'notes')));
    expect((await deployOn(on, { scope: { kind: 'stack', name: 's' } })).run.exitCode).toBe(0);
    const { run } = await deployOn(on, { scope: { kind: 'stack', name: 't' } });
    expect([run.exitCode, [...run.held]]).toEqual([0, []]);
    on.close();
  });

  it('nor while only part of the platform is deployed (INV-1)', async () => {
    const on = withOwnWindows();
    expect((await deployOn(on, { scope: { kind: 'stack', name: 's' } })).run.exitCode).toBe(0);
    const held = new Set<string>();
    const { run } = await deployOn(on, { scope: { kind: 'stack', name: 't' } }, undefined, (event) => {
      if (event.type === 'hold-set') for (const name of event.applications) held.add(name);
    });
    expect([run.exitCode, held.has('acme-s')]).toEqual([0, true]);
    on.close();
  });
});

import { describe, expect, it } from 'vitest';
import { heldIn, windowsOf, withHold } from '../../src/adapters/argocd/hold-window.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type Bench, bench, deployOn, platformFrom, teardownOn } from '../harness.ts';

/** What other people do to the same cluster and the same Git while we are at work. */
describe('other people', () => {
  it('may push to Git while an app is becoming Healthy: nothing fails', async () => {
    const on = bench(platformFrom('platforms/hello'));
    const { git } = on.sandbox.world;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (event.type === 'operation-finished') git.commit(new Map([[`elsewhere/${event.node}`, []]]));
    });
    expect([run.outcome, held(on)]).toEqual(['success', []]);
    on.close();
  });

  it('may push a change of an app that is becoming Healthy: the next attempt syncs it', async () => {
    const on = bench(platformFrom('platforms/hello'));
    const { git } = on.sandbox.world;
    let pushed = false;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (pushed || event.type !== 'operation-finished' || event.node !== 'ingress') return;
      pushed = true;
      const content = git.read(pathOf(on, 'ingress'), git.head);
      if ('error' in content) throw new Error(content.error);
      const config: KubeObject = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'pushed' },
        data: { a: 'b' },
      };
      git.commit(new Map([[pathOf(on, 'ingress'), [...content.objects, config]]]));
    });
    expect(run.outcome).toBe('success');
    expect(run.nodes.get('ingress')?.attempts).toBe(2);
    expect(on.sandbox.truth('ingress')).toMatchObject({ healthy: true });
    on.close();
  });

  it('may be Argo CD itself, with an automated sync that the hold caught: it is taken back, not waited for', async () => {
    const on = bench(platformFrom('platforms/hello'));
    const applications = on.sandbox.types.byPlural('argoproj.io', 'applications');
    if (applications === undefined) throw new Error('no Applications');
    let isAsked = false;
    const { run } = await deployOn(on, {}, undefined, (event) => {
      if (isAsked || event.type !== 'hold-set') return;
      isAsked = true;
      const operation = { initiatedBy: { automated: true }, sync: {} };
      on.sandbox.store.change(applications, 'argocd', 'hello-root', 'auto-sync', (object) => ({
        ...object,
        operation,
      }));
    });
    expect([isAsked, run.outcome]).toEqual([true, 'success']);
    on.close();
  });

  it.each([
    ['a parent, by a run that was killed while it handed over', 'hello-root'],
    ['an app the platform does not have any more', 'gone-long-ago'],
  ])('find no hold left on %s after the next deploy', async (_what, name) => {
    const on = bench(platformFrom('platforms/hello'));
    await deployOn(on);
    const type = on.sandbox.types.byPlural('argoproj.io', 'appprojects');
    if (type === undefined) throw new Error('no AppProjects');
    on.sandbox.store.change(type, 'argocd', 'default', 'a killed run', (project) => ({
      ...project,
      spec: { ...(project['spec'] as object), syncWindows: withHold(windowsOf(project), 'hello', [name]) },
    }));
    expect(held(on)).toEqual([name]);
    expect((await deployOn(on)).run.outcome).toBe('success');
    expect(held(on)).toEqual([]);
    on.close();
  });

  it('keep their claims when they work in a namespace of ours', async () => {
    const on = bench(platformFrom('platforms/hello'));
    await deployOn(on);
    const claims = on.sandbox.types.byPlural('', 'persistentvolumeclaims');
    const sets = on.sandbox.types.byPlural('apps', 'statefulsets');
    if (claims === undefined || sets === undefined) throw new Error('no such kinds');
    const metadata = { name: 'theirs', namespace: 'web' };
    on.sandbox.store.create(
      claims,
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {} },
      'a stranger',
    );
    on.sandbox.store.create(sets, { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: {} }, 'a stranger');
    const { run } = await teardownOn(on, { pvPolicy: 'delete' });
    expect(run.outcome).toBe('orphans');
    expect(run.orphans.map(({ object }) => object)).toContain('StatefulSet web/theirs');
    expect(on.sandbox.store.get(claims, 'web', 'theirs')?.metadata.deletionTimestamp).toBeUndefined();
    on.close();
  });
});

function held(on: Bench): string[] {
  const type = on.sandbox.types.byPlural('argoproj.io', 'appprojects');
  const projects = type === undefined ? [] : on.sandbox.store.list(type);
  return projects.flatMap((project) => heldIn(windowsOf(project), on.platform.name));
}

function pathOf(on: Bench, name: string): string {
  const type = on.sandbox.types.byPlural('argoproj.io', 'applications');
  const found = type === undefined ? undefined : on.sandbox.store.get(type, 'argocd', name);
  return (found?.['spec'] as { source?: { path?: string } } | undefined)?.source?.path ?? '';
}

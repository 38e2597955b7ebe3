import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformFrom, teardownOn } from '../harness.ts';
import { admin, argocdPath, objects, writes } from './look.ts';
import { addToGit, claim, strangerLike, volumeOf } from './teardown-scene.ts';

const hello = platformFrom('platforms/hello');

describe('an Application that dag.yaml does not know', () => {
  it('keeps the parent from being taken down whose ApplicationSet makes it', async () => {
    const on = bench(hello);
    addToGit(on, paths.stack('shop'), setOf(stranger(on)));
    await deployOn(on);
    await refused(on);
  });

  it('keeps its parent from being taken down wherever it is', async () => {
    const on = bench(hello);
    await admin(on, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'theirs' },
    });
    const { metadata, ...rest } = stranger(on);
    addToGit(on, paths.stack('shop'), { ...rest, metadata: { ...metadata, namespace: 'theirs' } });
    await deployOn(on);
    await refused(on, 'theirs');
  });

  it('keeps its parent, too, when an operation brings it that had begun before', async () => {
    const on = bench(hello);
    await deployOn(on);
    addToGit(on, paths.stack('shop'), stranger(on));
    const { run } = await teardownOn(on, {}, undefined, (event) => {
      if (event.type !== 'phase-started' || event.phase !== 'quiesce') return;
      void admin(on, 'PATCH', `${argocdPath}/applications/hello-shop`, { operation: { sync: {} } });
    });
    expect([run.exitCode, run.warnings.map(({ message }) => message).join()]).toEqual([
      1,
      expect.stringContaining(goesAlong),
    ]);
    expect(objects(on).has('Application argocd/stranger')).toBe(true);
    expect(
      (await on.time.run(on.world.argocd.projects(new AbortController().signal))).flatMap(({ held }) => held),
    ).toEqual([]);
    on.close();
  });

  const goesAlong = 'stranger would go with hello-shop, but dag.yaml does not know them';

  async function refused(on: Bench, namespace = 'argocd'): Promise<void> {
    await on.time.run(on.time.sleep(10 * 60_000));
    expect(objects(on).has(`Application ${namespace}/stranger`)).toBe(true);
    const before = writes(on).length;
    await expect(teardownOn(on)).rejects.toMatchObject({ message: goesAlong });
    on.close();
    expect(writes(on, before).filter(({ user }) => !user.startsWith('argocd'))).toEqual([]);
  }
});

describe('an Application that an app brings', () => {
  it.each([
    ['with', ['resources-finalizer.argocd.argoproj.io']],
    ['without', []],
  ])(
    'goes with it and with all that is its own, %s a finalizer in Git, and the volumes of its claims are kept (R6.7)',
    async (_how, finalizers) => {
      const on = bench(hello);
      const config: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'grand-config' } };
      on.sandbox.world.git.commit(new Map([['grand', [claim('grand-data', 'grand') as KubeObject, config]]]));
      const { metadata, spec, ...rest } = stranger(on);
      addToGit(on, paths.app('ingress'), {
        ...rest,
        metadata: { ...metadata, name: 'grandchild', finalizers },
        spec: {
          ...spec,
          source: { ...spec.source, path: 'grand' },
          destination: { ...spec.destination, namespace: 'grand' },
        },
      });
      await deployOn(on);
      await on.time.run(on.time.sleep(10 * 60_000));
      expect(objects(on).has('PersistentVolumeClaim grand/grand-data')).toBe(true);
      const { run } = await teardownOn(on);
      on.close();
      expect(run.exitCode).toBe(0);
      expect(run.retained).toContainEqual({
        object: `PersistentVolume ${volumeOf(on, 'grand-data')}`,
        because: 'pv-policy retain keeps the data',
      });
      expect(objects(on).has('Namespace /grand')).toBe(false);
    },
  );
});

interface ApplicationLike {
  readonly metadata: object;
  readonly spec: { readonly source: object; readonly destination: object };
}

function stranger(on: Bench): ApplicationLike {
  return strangerLike(objects(on).get('Application argocd/hello-root')) as ApplicationLike;
}

function setOf({ spec }: ApplicationLike): object {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'strangers', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ app: 'stranger' }] } }],
      template: { metadata: { name: '{{.app}}' }, spec },
    },
  };
}

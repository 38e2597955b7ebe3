import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { appProject, paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { admin, argocdPath } from './look.ts';

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

function change(
  { sandbox: { world } }: Bench,
  path: string,
  how: (objects: readonly KubeObject[]) => readonly KubeObject[],
): void {
  const content = world.git.read(path, world.git.head);
  if ('error' in content) throw new Error(content.error);
  world.git.commit(new Map([[path, how(content.objects)]]));
}

function belongingTo(project: string, application: string): (object: KubeObject) => KubeObject {
  return (object) =>
    object.kind === 'Application' && object.metadata.name === application
      ? { ...object, spec: { ...(object['spec'] as object), project } }
      : object;
}

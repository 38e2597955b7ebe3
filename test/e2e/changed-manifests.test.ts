import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { chain, objects, states } from './look.ts';

/** What Git says of an Application itself: its path, the version of its chart. A held parent does not bring that by itself. */
describe('a change in the manifest of an Application, while its parents are held', () => {
  it('that mends what has failed is taken up by the next run (R2.3)', async () => {
    const on = bench(platformOf(chain));
    sourceOf(on, { b: 'apps/no-such-path' });
    const first = await deployOn(on, { platform: impatient });
    expect([first.run.exitCode, states(first.run)['b']]).toEqual([2, 'failed']);
    sourceOf(on, { b: paths.app('b') });
    const { run } = await deployOn(on);
    on.close();
    expect([run.exitCode, run.warnings]).toEqual([0, []]);
    expect(states(run)).toEqual({ a: 'skipped', b: 'healthy', c: 'healthy', d: 'skipped' });
  });

  it('reaches the cluster in dependency order, not all at once when the parents are released (INV-1)', async () => {
    const on = bench(platformOf(chain));
    sourceOf(on, { d: 'apps/no-such-path' });
    expect((await deployOn(on, { platform: impatient })).run.exitCode).toBe(2);
    copyContent(on, { a: 'apps/a2', b: 'apps/b2' });
    sourceOf(on, { a: 'apps/a2', b: 'apps/b2', d: paths.app('d') });
    const { run, events } = await deployOn(on);
    await on.time.run(on.time.sleep(30 * 60_000));
    on.close();
    expect([run.exitCode, states(run)]).toEqual([0, { a: 'healthy', b: 'healthy', c: 'skipped', d: 'healthy' }]);
    const at = (type: string, node: string): number =>
      events.findIndex((event) => event.type === type && 'node' in event && event.node === node);
    expect(at('node-healthy', 'a')).toBeGreaterThan(-1);
    expect(at('operation-triggered', 'b')).toBeGreaterThan(at('node-healthy', 'a'));
    expect([...objects(on).keys()]).toEqual(expect.arrayContaining(['ConfigMap a/anew', 'ConfigMap b/anew']));
  });

  it('that cannot be looked for is said, and what is there is deployed', async () => {
    const on = bench(platformOf(chain));
    sourceOf(on, { d: 'apps/no-such-path' });
    await deployOn(on, { platform: impatient });
    const root = on.sandbox.types.byPlural('argoproj.io', 'applications');
    if (root === undefined) throw new Error('no Applications');
    on.sandbox.store.change(root, 'argocd', 'chain-s', 'somebody', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), source: { repoURL: 'https://git.example.com/gone.git', path: 'x' } },
    }));
    copyContent(on, { d: 'apps/no-such-path' });
    const { run } = await deployOn(on);
    on.close();
    expect(states(run)).toMatchObject({ d: 'healthy' });
    expect(run.warnings.map(({ message }) => message).join()).toContain(
      'Applications under chain-s may be older than Git',
    );
  });
});

const impatient = platformOf(
  chain.replace('stacks:', 'defaults: { retries: { maxAttempts: 1 }, timeouts: { sync: 1m, health: 1m } }\nstacks:'),
);

/** Writes into Git from where these apps of the stack take what they are made of. */
function sourceOf(on: Bench, wanted: Readonly<Record<string, string>>): void {
  change(on, paths.stack('s'), (objects) =>
    objects.map((object) => {
      const path = object.kind === 'Application' ? wanted[object.metadata.name] : undefined;
      const spec = object['spec'] as { source: object };
      return path === undefined ? object : { ...object, spec: { ...spec, source: { ...spec.source, path } } };
    }),
  );
}

/** What an app is made of, at another path, with one object more. */
function copyContent(on: Bench, wanted: Readonly<Record<string, string>>): void {
  const { git } = on.sandbox.world;
  for (const [app, path] of Object.entries(wanted)) {
    const content = git.read(paths.app(app), git.head);
    if ('error' in content) throw new Error(content.error);
    const anew: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'anew' } };
    git.commit(new Map([[path, [...content.objects, anew]]]));
  }
}

function change(on: Bench, path: string, how: (objects: readonly KubeObject[]) => KubeObject[]): void {
  const { git } = on.sandbox.world;
  const content = git.read(path, git.head);
  if ('error' in content) throw new Error(content.error);
  git.commit(new Map([[path, how(content.objects)]]));
}

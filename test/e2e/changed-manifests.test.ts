import { describe, expect, it } from 'vitest';
import { PlanRefusedError } from '../../src/engine/plan-refused-error.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { appProject, paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { belongingTo, change } from './in-git.ts';
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

  it.each([
    ['that is there', false],
    ['that comes with the change', true],
  ])('and moves it to an AppProject %s starts nothing out of turn (INV-1)', async (_which, comesToo) => {
    const on = bench(platformOf(chain));
    const other = appProject(on.platform.environment, 'other');
    const bring = (): void => change(on, paths.stack('s'), (objects) => [...objects, other]);
    if (!comesToo) bring();
    sourceOf(on, { d: 'apps/no-such-path' });
    expect((await deployOn(on, { platform: impatient })).run.exitCode).toBe(2);
    copyContent(on, { a: 'apps/a2', b: 'apps/b2' });
    if (comesToo) bring();
    sourceOf(on, { a: 'apps/a2', b: 'apps/b2', d: paths.app('d') });
    change(on, paths.stack('s'), (objects) => objects.map(belongingTo('other', 'b')));
    const { run, events } = await deployOn(on);
    on.close();
    expect([run.exitCode, states(run)['b']]).toEqual([0, 'healthy']);
    const readyAt = Date.parse(events.find((event) => event.type === 'node-healthy' && event.node === 'a')!.at);
    const begun = on.sandbox.changes.filter(
      ({ object, at }) =>
        object.metadata.name === 'b' && object['operation'] !== undefined && at > Date.parse(events[0]!.at),
    );
    expect(begun.length).toBeGreaterThan(0);
    expect(begun[0]!.at).toBeGreaterThanOrEqual(readyAt);
  });

  it('that was brought before the plan was refused stays held: nothing starts out of turn (INV-1)', async () => {
    const on = bench(two);
    sourceOf(on, { notes: 'apps/no-such-path' }, 't');
    expect((await deployOn(on)).run.exitCode).toBe(2);
    copyContent(on, { web: 'apps/web2' });
    sourceOf(on, { web: 'apps/web2' }, 't');
    sourceOf(on, { db: 'apps/no-such-path' });
    await on.time.run(on.time.sleep(10 * 60_000));
    const stackT = { kind: 'stack', name: 't' } as const;
    await expect(deployOn(on, { scope: stackT })).rejects.toThrow(PlanRefusedError);
    await on.time.run(on.time.sleep(30 * 60_000));
    on.close();
    expect([...objects(on).keys()]).not.toContain('ConfigMap web/anew');
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

const two = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: two
root: two-root
defaults: { retries: { maxAttempts: 1 }, timeouts: { sync: 1m, health: 1m } }
stacks:
  s: { application: two-s, apps: { db: {} } }
  t: { application: two-t, apps: { web: { needs: [db] }, notes: {} } }
`);

/** Writes into Git from where these apps of the stack take what they are made of. */
function sourceOf(on: Bench, wanted: Readonly<Record<string, string>>, stack = 's'): void {
  change(on, paths.stack(stack), (objects) =>
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

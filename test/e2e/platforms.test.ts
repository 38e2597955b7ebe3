import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/core/platform/platform.ts';
import { parentOf } from '../../src/engine/parents.ts';
import { readScenario } from '../../src/sandbox/world/read-scenario.ts';
import { type Bench, bench, deployOn, platformFrom, teardownOn } from '../harness.ts';
import { faults, objects, states, writes } from './look.ts';

// R5.9: every example is deployed, deployed again, broken and taken down.
describe.each([
  ['hello', 'database', ['web']],
  ['forty-three', 'vault', undefined],
  ['reference', 'vault', undefined],
])('platforms/%s', (name, victim, blocked) => {
  const platform = platformFrom(`platforms/${name}`);

  it('comes up around what is broken, is finished once mended, stays untouched, and leaves nothing behind', async () => {
    const on = benchOf(name, platform, `${victim}=sync-fails`);
    const before = objects(on);
    const nodes = await comesUpAround(on, victim, blocked);

    on.sandbox.fix(victim);
    const next = await deployOn(on);
    expect(next.run).toMatchObject({ outcome: 'success', exitCode: 0 });
    for (const node of nodes) expect([node, next.run.nodes.get(node)?.state]).toEqual([node, 'skipped']);
    for (const app of platform.apps.values())
      expect([app.name, on.sandbox.truth(app.application).healthy]).toEqual([app.name, true]);
    expect(heldAnywhere(on)).toEqual([]);

    await on.time.run(on.time.sleep(10 * 60_000));
    const written = writes(on).length;
    expect((await deployOn(on)).run).toMatchObject({ outcome: 'success', exitCode: 0 });
    expect(writes(on, written)).toEqual([]);

    const down = await teardownOn(on, { stateful: 'all', includeCrds: true, pvPolicy: 'delete' });
    expect(down.run).toMatchObject({ outcome: 'clean', exitCode: 0, orphans: [] });
    const root = `Application argocd/${platform.root}`;
    expect([...objects(on).keys()].filter((key) => !before.has(key))).toEqual([]);
    expect([...before.keys()].filter((key) => !objects(on).has(key))).toEqual([root]);

    const gone = writes(on).length;
    expect((await teardownOn(on)).run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    expect(writes(on, gone)).toEqual([]);
    on.close();
  });
});

/** Deploys with one broken app, and returns what became Healthy all the same. */
async function comesUpAround(on: Bench, victim: string, blocked: readonly string[] | undefined): Promise<string[]> {
  const { run } = await deployOn(on);
  expect(run).toMatchObject({ outcome: 'partial', exitCode: 2 });
  const ended = Object.entries(states(run));
  const of = (state: string): string[] => ended.filter(([, one]) => one === state).map(([node]) => node);
  expect(of('failed')).toEqual([victim]);
  expect(of('blocked').length).toBeGreaterThan(0);
  if (blocked !== undefined) expect(of('blocked')).toEqual(blocked);
  expect(of('healthy').length + of('blocked').length + 1).toBe(ended.length);
  // INV-4: what was not deployed stays held, with every parent that would start it.
  const held = new Set(heldAnywhere(on));
  for (const node of [...of('blocked'), victim].filter((name) => !name.includes('#')))
    for (let up = on.platform.apps.get(node)?.application; up !== undefined; up = parentOf(on.platform, up))
      expect(held).toContain(up);
  return of('healthy');
}

function benchOf(name: string, platform: Platform, ...broken: string[]): Bench {
  const file = `platforms/${name}/scenario.yaml`;
  const { scenario } = readScenario({ file, text: readFileSync(file, 'utf8') }, platform);
  if (scenario === undefined) throw new Error(`${file} is wrong`);
  return bench(platform, { scenario, faults: faults(...broken) });
}

function heldAnywhere(on: Bench): string[] {
  const names = [...objects(on).values()]
    .filter(({ kind }) => kind === 'AppProject')
    .flatMap((project) => (project['spec'] as { syncWindows?: { applications: string[] }[] }).syncWindows ?? [])
    .flatMap(({ applications }) => applications);
  return [...new Set(names)].sort();
}

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

  it('comes up in order, stays untouched by a second deploy, and leaves nothing behind', async () => {
    const on = benchOf(name, platform);
    const before = objects(on);
    const up = await deployOn(on);
    expect(up.run).toMatchObject({ outcome: 'success', exitCode: 0 });
    expect(new Set(Object.values(states(up.run)))).toEqual(new Set(['healthy']));
    for (const app of platform.apps.values())
      expect([app.name, on.sandbox.truth(app.application).healthy]).toEqual([app.name, true]);
    expect(heldAnywhere(on)).toEqual([]);

    await on.time.run(on.time.sleep(10 * 60_000));
    const written = writes(on).length;
    const again = await deployOn(on);
    expect(again.run).toMatchObject({ outcome: 'success', exitCode: 0 });
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

  it('broken in one place comes up everywhere else, and is finished by the next run once mended', async () => {
    const on = benchOf(name, platform, `${victim}=sync-fails`);
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
    for (const node of [...of('blocked'), victim].filter((node) => !node.includes('#')))
      for (let up = platform.apps.get(node)?.application; up !== undefined; up = parentOf(platform, up))
        expect(held).toContain(up);

    on.sandbox.fix(victim);
    const next = await deployOn(on);
    expect(next.run).toMatchObject({ outcome: 'success', exitCode: 0 });
    for (const node of of('healthy')) expect([node, next.run.nodes.get(node)?.state]).toEqual([node, 'skipped']);
    on.close();
  });
});

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

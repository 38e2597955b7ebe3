import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fakeWorld, script } from './fake-world.fixture.ts';
import { runGo } from './go-tool.ts';

it('tries again when the proxy was only busy', async () => {
  const world = await fakeWorld();
  const once = `${world.home}/once`;
  await script(
    `${world.home}/tools/go`,
    `[ -e ${once} ] && echo there && exit; echo > ${once}; echo "429 busy" >&2; exit 1`,
  );

  expect(await runGo(['list'], { ...world, cwd: world.home, what: 'fetching', pausesMs: [1] })).toBe('there\n');
  expect(existsSync(once)).toBe(true);
});

it('ends with the last lines that Go wrote when it fails for good', async () => {
  const world = await fakeWorld();
  writeFileSync(`${world.home}/why`, `${Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')}\n`);
  await script(`${world.home}/tools/go`, `cat ${world.home}/why >&2; exit 1`);

  const failed = runGo(['build'], { ...world, cwd: world.home, what: 'building kube' });

  await expect(failed).rejects.toThrow(/^building kube failed:\n {2}line 28\n[\s\S]*line 39$/);
});

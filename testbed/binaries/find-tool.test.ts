import { expect, it } from 'vitest';
import { fakeWorld, script } from './fake-world.fixture.ts';
import { findTool } from './find-tool.ts';

it('finds a tool in PATH', async () => {
  const world = await fakeWorld();
  await script(`${world.home}/tools/git`, 'true');

  expect(await findTool('git', world.env)).toBe(`${world.home}/tools/git`);
});

it('names the package of Debian that has a missing tool', async () => {
  const { env } = await fakeWorld();

  await expect(findTool('redis-server', env)).rejects.toMatchObject({
    message: 'redis-server is not in PATH',
    hint: 'on Debian: apt-get install redis-server',
  });
});

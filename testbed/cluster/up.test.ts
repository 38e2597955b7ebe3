import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { readState, writeState } from './state.ts';
import { type UpOrder, up } from './up.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

describe('up', () => {
  it('refuses another Argo CD than the testbed has, and says how to get one', async () => {
    writeState(await sleepy.testbed('mine'));
    await expect(up({ ...order(), argocd: '3.4' })).rejects.toMatchObject({
      message: 'the testbed mine has Argo CD 3.5, not 3.4',
      hint: expect.stringContaining('npm run testbed -- down --name mine --delete'),
    });
  });

  it('leaves no half of a testbed when it could not do its work, however often', async () => {
    for (const _time of ['first', 'second']) await expect(up(order())).rejects.toThrow(' lacks ');
    expect(readState(sleepy.home, 'mine')).toBeUndefined();
  });

  it('says that a tool of the system is missing before it looks for programs, which may mean a long build', async () => {
    const env = { PATH: toolsBut('redis-server'), HOME: sleepy.home };
    const said: string[] = [];
    const report = (line: string): void => void said.push(line);
    await expect(up({ ...order(), env, report })).rejects.toMatchObject({
      message: 'redis-server is not in PATH',
      hint: 'on Debian: apt-get install redis-server',
    });
    expect(said).toEqual([]);
  });

  it('says of programs that it was given once and that are gone how to get along without them', async () => {
    writeState({ ...(await sleepy.testbed('mine')), binaries: '/gone' });
    const { TIPHYS_TESTBED_BIN: _forgotten, ...env } = order().env;
    await expect(up({ ...order(), env })).rejects.toMatchObject({
      message: expect.stringContaining('the folder of programs /gone lacks '),
      hint: expect.stringContaining('set it to nothing (TIPHYS_TESTBED_BIN=) to build everything'),
    });
  });

  it('empties nothing when it cannot go on afterwards', async () => {
    const mine = await sleepy.testbed('mine', ['etcd']);
    writeState(mine);
    mkdirSync(join(mine.folder, 'etcd'));
    for (const wish of [{}, { argocd: '3.4' as const }, { empty: true as const }]) {
      await expect(up({ ...order(), afresh: true, ...wish })).rejects.toThrow();
    }
    expect([existsSync(join(mine.folder, 'etcd')), readState(sleepy.home, 'mine')]).toEqual([true, mine]);
  });
});

/** The system's tools are there; neither programs nor the means to make some. */
function order(): UpOrder {
  const env = { PATH: toolsBut('nothing'), HOME: sleepy.home, TIPHYS_TESTBED_BIN: '/nowhere/to/be/found' };
  return { home: sleepy.home, name: 'mine', env, report: () => undefined, bundle: 'unused' };
}

/** A folder with all tools but this one. */
function toolsBut(missing: string): string {
  const folder = join(sleepy.home, `tools-but-${missing}`);
  mkdirSync(folder, { recursive: true });
  for (const tool of ['redis-server', 'git', 'openssl'].filter((name) => name !== missing)) {
    writeFileSync(join(folder, tool), '');
    chmodSync(join(folder, tool), 0o755);
  }
  return folder;
}

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

  it('does not keep the next command waiting when it could not do its work', async () => {
    await expect(up(order())).rejects.toThrow();
    await expect(up(order())).rejects.toThrow();
    expect(readState(sleepy.home, 'mine')?.processes).toEqual({});
  });
});

/** Neither programs nor the means to make some. */
function order(): UpOrder {
  const env = { PATH: '', HOME: sleepy.home, TIPHYS_TESTBED_BIN: '/nowhere/to/be/found' };
  return { home: sleepy.home, name: 'mine', env, report: () => undefined, bundle: 'unused' };
}

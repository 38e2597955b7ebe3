import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foresee, knownOrNew } from './known-or-new.ts';
import { markOf } from './marked-processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { writeState } from './state.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

describe('how long a Workflow rests between two looks', () => {
  it('is a tenth of a second in a new testbed, also in one that was made before this could be wished for', async () => {
    expect((await knownOrNew(wanted('new'))).requeue).toBe('100ms');
    const { requeue: _requeue, ...older } = await sleepy.testbed('older');
    writeState(older as Parameters<typeof writeState>[0]);
    expect((await knownOrNew(wanted('older'))).requeue).toBe('100ms');
  });

  it('is what was wished for last', async () => {
    const state = await knownOrNew({ ...wanted('slow'), requeue: '10s' });
    expect(state.requeue).toBe('10s');
    writeState(state);
    expect((await knownOrNew(wanted('slow'))).requeue).toBe('10s');
    expect((await knownOrNew({ ...wanted('slow'), requeue: '1s' })).requeue).toBe('1s');
  });
});

describe('an empty testbed', () => {
  it('stays empty, and is no other one under the same name', async () => {
    expect((await knownOrNew({ ...wanted('bare'), empty: true })).empty).toBe(true);
    expect((await knownOrNew(wanted('bare'))).empty).toBe(true);
    writeState(await sleepy.testbed('full'));
    await expect(knownOrNew({ ...wanted('full'), empty: true })).rejects.toMatchObject({
      message: 'the testbed full is not an empty one: it comes with Argo CD',
      hint: expect.stringContaining('down --name full --delete'),
    });
    expect((await knownOrNew(wanted('full'))).empty).toBeUndefined();
  });

  it('says that the charts decide instead of taking wishes that nobody would fulfil', async () => {
    await expect(knownOrNew({ ...wanted('bare'), empty: true, reconciliation: '10s' })).rejects.toMatchObject({
      message: expect.stringContaining('charts bring Argo CD'),
      hint: expect.stringContaining('timeout.reconciliation'),
    });
  });
});

describe('a testbed that is known', () => {
  it('gets ports for what it did not have when it was made, in its own block', async () => {
    const { kubelet, workflowsApi, ...older } = (await sleepy.testbed('older')).ports;
    writeState({ ...(await sleepy.testbed('older')), ports: older } as Parameters<typeof writeState>[0]);
    expect((await knownOrNew(wanted('older'))).ports).toMatchObject({ ...older, kubelet, workflowsApi });
  });

  it('finds what was started and never written down, and keeps its ports while that runs', async () => {
    const state = await sleepy.testbed('mine');
    writeState(state);
    const lost = await sleepy.sleeper(markOf(state.folder, 'etcd'));
    const [found, again] = [await knownOrNew(wanted('mine')), await knownOrNew(wanted('mine'))];
    expect([found.processes, again.ports]).toEqual([{ etcd: lost }, state.ports]);
  });
});

describe('programs that were given once', () => {
  it('are remembered, unless others are given, or nothing is', async () => {
    writeState({ ...(await sleepy.testbed('mine')), binaries: '/once' });
    const given = (folder: string) => foresee({ ...wanted('mine'), env: { TIPHYS_TESTBED_BIN: folder } }).binaries;
    expect([foresee(wanted('mine')).binaries, given('/now'), given('')]).toEqual(['/once', '/now', '']);
  });
});

function wanted(name: string) {
  return { home: sleepy.home, name, env: {} };
}

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeRecord } from '../kubelet/record.ts';
import { down, emptyOut } from './down.ts';
import { markOf } from './marked-processes.ts';
import { isRunning } from './processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { readState, writeState } from './state.ts';
import { takePorts } from './take-ports.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

describe('down', () => {
  it('ends exactly what up has started: nothing of another testbed, no stranger, no process that has got an old pid', async () => {
    const [mine, yours] = [await sleepy.testbed('mine', ['etcd', 'kwok']), await sleepy.testbed('yours', ['etcd'])];
    const stranger = await sleepy.sleeper();
    const { pid } = stranger;
    writeState({ ...mine, processes: { ...mine.processes, redis: { pid, startedAt: '1' } } });
    writeState(yours);
    expect(await down(sleepy.home, 'mine', { forget: false })).toEqual(['etcd', 'kwok']);
    expect(Object.values(mine.processes).map(isRunning)).toEqual([false, false]);
    expect([stranger, ...Object.values(yours.processes)].map(isRunning)).toEqual([true, true]);
  });

  it('ends also what was started and never written down, and what the part of the kubelet has started', async () => {
    const mine = await sleepy.testbed('mine', ['etcd', 'kubelet-part']);
    writeState(mine);
    const played = await sleepy.sleeper();
    writeRecord(mine.folder, { 'argocd-server': { pod: 'uid', restarts: 0, process: played } });
    const lost = await sleepy.sleeper(markOf(mine.folder, 'kwok'));
    const stranger = await sleepy.sleeper(markOf(`${mine.folder}-too`, 'kwok'));
    expect(await down(sleepy.home, 'mine', { forget: false })).toEqual([
      'etcd',
      'kubelet-part',
      'kubelet/argocd-server',
      'kwok',
    ]);
    expect([played, lost, stranger].map(isRunning)).toEqual([false, false, true]);
  });

  it('has nothing to do the second time, and for a name that there never was', async () => {
    writeState(await sleepy.testbed('mine', ['etcd']));
    await down(sleepy.home, 'mine', { forget: false });
    expect(await down(sleepy.home, 'mine', { forget: false })).toEqual([]);
    expect(await down(sleepy.home, 'nobody', { forget: false })).toEqual([]);
    expect(readState(sleepy.home, 'mine')?.processes).toEqual({});
  });

  it('keeps folder and ports for the next up, and gives both up when told to forget', async () => {
    const mine = await sleepy.testbed('mine', ['etcd']);
    writeState(mine);
    await down(sleepy.home, 'mine', { forget: false });
    expect(await takePorts(sleepy.home, 'yours')).not.toEqual(mine.ports);
    await down(sleepy.home, 'mine', { forget: true });
    expect(existsSync(mine.folder)).toBe(false);
    expect(await takePorts(sleepy.home, 'theirs')).toEqual(mine.ports);
  });
});

describe('emptying a testbed', () => {
  it('ends its processes and removes what was in the cluster, but neither its certificates nor its ports', async () => {
    const mine = await sleepy.testbed('mine', ['etcd']);
    writeState(mine);
    for (const folder of ['etcd', 'repo', 'pki']) mkdirSync(join(mine.folder, folder));
    writeFileSync(join(mine.folder, 'audit.log'), '{}\n');
    await emptyOut(mine);
    expect(Object.values(mine.processes).map(isRunning)).toEqual([false]);
    expect(readdirSync(mine.folder).sort()).toEqual(['pki', 'testbed.json']);
    expect(readState(sleepy.home, 'mine')).toEqual({ ...mine, processes: {} });
  });
});

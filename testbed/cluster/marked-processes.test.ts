import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { markedProcesses, markOf } from './marked-processes.ts';
import { endProcess, isRunning, startProcess } from './processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import type { StartedProcess } from './state.ts';

let sleepy: SleepyHome;
const started: StartedProcess[] = [];

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(async () => {
  for (const one of started.splice(0)) await endProcess(one, 0);
  await sleepy.close();
});

it('finds what runs under a testbed’s mark by its component, and nothing of another testbed or of nobody', async () => {
  const folder = join(sleepy.home, 'mine');
  const etcd = await sleepy.sleeper(markOf(folder, 'etcd'));
  await sleepy.sleeper(markOf(`${folder}-too`, 'etcd'));
  await sleepy.sleeper();
  expect(markedProcesses(folder)).toEqual([{ component: 'etcd', ...etcd }]);
  await endProcess(etcd, 0);
  expect(markedProcesses(folder)).toEqual([]);
});

it('does not list what a marked process has started: that ends with it', async () => {
  const folder = join(sleepy.home, 'mine');
  const parent = await start(
    'sh',
    ['-c', 'sleep 1000 & wait'],
    { ...process.env, ...markOf(folder, 'repo') },
    sleepy.home,
  );
  expect(markedProcesses(folder)).toEqual([{ component: 'repo', ...parent }]);
});

it('finds a Redis that has written its title over the mark', async () => {
  const folder = join(sleepy.home, 'mine');
  mkdirSync(folder);
  const title = 'exec -a "/usr/bin/redis-server 127.0.0.1:20006" sleep 1000';
  const redis = await start('bash', ['-c', title], { PATH: process.env['PATH'] }, folder);
  await start('bash', ['-c', title], { PATH: process.env['PATH'] }, sleepy.home);
  await expect.poll(() => markedProcesses(folder)).toEqual([{ component: 'redis', ...redis }]);
  expect(isRunning(redis)).toBe(true);
});

async function start(command: string, args: string[], env: NodeJS.ProcessEnv, cwd: string): Promise<StartedProcess> {
  const one = await startProcess({ command, args, env, cwd, log: join(sleepy.home, 'log') });
  started.push(one);
  return one;
}

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess, isRunning, startProcess } from './processes.ts';
import type { StartedProcess } from './state.ts';

let folder: string;
const started: StartedProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'testbed-process-'));
});

afterEach(async () => {
  for (const one of started.splice(0)) await endProcess(one, 0);
  rmSync(folder, { recursive: true });
});

describe('a started process', () => {
  it('writes its words into its log, behind those of its life before, for nobody else to read', async () => {
    for (const word of ['first', 'second']) {
      const one = await shell(`echo ${word}; echo oops >&2`);
      await until(() => !isRunning(one), 'it ends');
    }
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('first\noops\nsecond\noops\n');
    expect(statSync(join(folder, 'log')).mode & 0o777).toBe(0o600);
  });

  it('runs until it is ended, and is a stranger when only its pid is the same', async () => {
    const one = await shell('exec sleep 1000');
    expect(isRunning(one)).toBe(true);
    expect(isRunning({ ...one, startedAt: '1' })).toBe(false);
    process.kill(one.pid, 'SIGKILL');
    await until(() => !isRunning(one), 'it is gone');
  });

  it('does not run any more when it is dead and nobody has waited for it', async () => {
    const words = ['-c', 'sleep 1000 & echo $!; exec sleep 1000'];
    const parent = spawn('sh', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      // A shell may wait for its child by chance; what takes its place never does.
      await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n', 'the shell is gone');
      process.kill(pid, 'SIGKILL');
      await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), 'it is a zombie');
      const startedAt = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
      expect(isRunning({ pid, startedAt })).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is told by an error when its program is not there', async () => {
    const order = { command: join(folder, 'nothing'), args: [], env: {}, cwd: folder, log: join(folder, 'log') };
    await expect(startProcess(order)).rejects.toThrow('ENOENT');
  });
});

describe('ending a process', () => {
  it('ends what it has started, too', async () => {
    const one = await shell('sleep 1000 & echo $!; wait');
    await until(() => readFileSync(join(folder, 'log'), 'utf8').endsWith('\n'), 'it has a child');
    const child = Number(readFileSync(join(folder, 'log'), 'utf8'));
    await endProcess(one, 2_000);
    expect(isRunning(one)).toBe(false);
    await until(() => !isAlive(child), 'its child is gone');
  });

  it('does not wait for one that will not listen', async () => {
    const one = await shell('trap "" TERM; echo deaf; while :; do sleep 0.1; done');
    await until(() => readFileSync(join(folder, 'log'), 'utf8') === 'deaf\n', 'it is deaf');
    await endProcess(one, 200);
    expect(isRunning(one)).toBe(false);
  });

  it('leaves a stranger alone that has got its pid since', async () => {
    const one = await shell('exec sleep 1000');
    await endProcess({ ...one, startedAt: '1' }, 1_000);
    expect(isRunning(one)).toBe(true);
  });
});

async function shell(script: string): Promise<StartedProcess> {
  const env = { PATH: process.env['PATH'] };
  const one = await startProcess({ command: 'sh', args: ['-c', script], env, cwd: folder, log: join(folder, 'log') });
  started.push(one);
  return one;
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, sentence: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited 10 s in vain until ${sentence}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

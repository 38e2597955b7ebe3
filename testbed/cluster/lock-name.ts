import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { isRunning, lookAt } from './processes.ts';
import type { StartedProcess } from './state.ts';
import { TestbedError } from './testbed-error.ts';

const patienceMs = 120_000;

/** Does some work while no other command is at work on this testbed; the next one waits its turn. */
export async function alone<T>(home: string, name: string, work: () => Promise<T>): Promise<T> {
  const unlock = await lockName(home, name);
  try {
    return await work();
  } finally {
    unlock();
  }
}

/** A lock whose owner is gone is nobody's. */
async function lockName(home: string, name: string): Promise<() => void> {
  const file = join(home, '.locks', name);
  mkdirSync(join(home, '.locks'), { recursive: true });
  const until = systemClock.now() + patienceMs;
  while (!tryLock(file)) {
    if (systemClock.now() > until) {
      throw new TestbedError(
        `another command has been busy with testbed ${name} for two minutes`,
        `Its pid is in ${file}.`,
      );
    }
    await systemClock.sleep(100);
  }
  return () => rmSync(file, { force: true });
}

/** Linked into place with its owner already in it: nobody ever sees a lock without one. */
function tryLock(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid} ${lookAt(process.pid)?.startedAt}`);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const owner = ownerOf(file);
  if (owner !== undefined && !isRunning(owner)) takeAway(file, owner);
  return false;
}

/** Two commands may see the same dead owner. One at a time takes his lock away, and looks again first: by now it may be the other one's. */
function takeAway(file: string, dead: StartedProcess): void {
  const turn = `${file}.of-${dead.pid}`;
  if (!tryLock(turn)) return;
  try {
    const owner = ownerOf(file);
    if (owner?.pid === dead.pid && owner.startedAt === dead.startedAt) rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

/** undefined: it went in this moment. */
function ownerOf(file: string): StartedProcess | undefined {
  try {
    const [pid, startedAt = ''] = readFileSync(file, 'utf8').split(' ');
    return { pid: Number(pid), startedAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
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

/** Linked into place with the pid already in it: nobody ever sees a lock without its owner. */
function tryLock(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (!isAlive(ownerOf(file))) rmSync(file, { force: true });
  return false;
}

/** undefined: it went in this moment. */
function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    // 0 would mean our own group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

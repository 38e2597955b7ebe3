import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { TestbedError } from './testbed-error.ts';

const patienceMs = 120_000;

/** One command at a time for a testbed; the next one waits its turn. A lock whose owner is gone is nobody's. */
export async function lockName(home: string, name: string): Promise<() => void> {
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

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!isAlive(ownerOf(file))) rmSync(file, { force: true });
  return false;
}

function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

/** An owner that has not yet written its pid is taken for alive. */
function isAlive(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

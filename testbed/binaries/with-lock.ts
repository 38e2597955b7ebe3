import { open, rm, stat, utimes } from 'node:fs/promises';

const heartbeatMs = 2000;
const staleMs = 30_000;
const pollMs = 500;

/** Does some work while no other process does it. A holder keeps its lock file fresh, so the lock of one that died is taken over. */
export async function withLock<T>(file: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; !(await take(file)); attempt += 1) {
    if (attempt === 0) waiting();
    if (await isStale(file)) await rm(file, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const heartbeat = setInterval(() => void keepFresh(file), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(file: string): Promise<boolean> {
  const touched = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  return Date.now() - touched > staleMs;
}

// Taken over by another (this process was asleep for long): then there is nothing to keep, and the rename decides.
function keepFresh(file: string): Promise<void> {
  return utimes(file, new Date(), new Date()).catch(() => undefined);
}

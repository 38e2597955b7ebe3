import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { withLock } from './with-lock.ts';

it('lets one work after the other, and tells the second that it waits', async () => {
  const file = lockFile();
  const worked: string[] = [];
  let waited = 0;
  const work = () =>
    withLock(
      file,
      () => {
        waited += 1;
      },
      async () => {
        worked.push('begins');
        await new Promise((resolve) => setTimeout(resolve, 50));
        worked.push('ends');
      },
    );

  await Promise.all([work(), work()]);

  expect(worked).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(waited).toBe(1);
  expect(existsSync(file)).toBe(false);
});

it('takes over the lock of a process that died', async () => {
  const file = lockFile();
  writeFileSync(file, '');
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(file, aMinuteAgo, aMinuteAgo);

  expect(
    await withLock(
      file,
      () => undefined,
      async () => 'done',
    ),
  ).toBe('done');
});

it('gives the lock back when the work fails', async () => {
  const file = lockFile();
  const failing = withLock(
    file,
    () => undefined,
    () => Promise.reject(new Error('no')),
  );

  await expect(failing).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

function lockFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'lock');
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alone } from './lock-name.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'testbed-lock-'));
});

afterEach(() => rmSync(home, { recursive: true }));

describe('the lock of a testbed', () => {
  it('lets one command in at a time, and every one gets its turn', async () => {
    const inside: string[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map(async (command) => {
        await alone(home, 'one', async () => {
          inside.push(`${command} comes`);
          await new Promise((resolve) => setTimeout(resolve, 30));
          inside.push(`${command} goes`);
        });
      }),
    );
    const pairs = inside.map((_, index) => inside.slice(index, index + 2)).filter((_, index) => index % 2 === 0);
    expect(pairs.map(([comes, goes]) => [comes?.[0], goes?.[0]])).toEqual(
      pairs.map(([comes]) => [comes?.[0], comes?.[0]]),
    );
    expect(inside).toHaveLength(6);
  });

  it('does not keep a command from a testbed of another name', async () => {
    const inner = alone(home, 'one', () => alone(home, 'two', async () => 'both'));
    expect(await inner).toBe('both');
  });

  it('is nobody’s when the command that had it was killed', async () => {
    const { pid } = spawnSync('true');
    leaveLock(String(pid));
    await alone(home, 'one', async () => undefined);
    expect(existsSync(join(home, '.locks/one'))).toBe(false);
  });

  it('is free again when the work has failed', async () => {
    await expect(alone(home, 'one', () => Promise.reject(new Error('in vain')))).rejects.toThrow('in vain');
    expect(existsSync(join(home, '.locks/one'))).toBe(false);
  });
});

function leaveLock(text: string): void {
  mkdirSync(join(home, '.locks'), { recursive: true });
  writeFileSync(join(home, '.locks/one'), text);
}

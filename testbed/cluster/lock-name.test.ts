import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alone } from './lock-name.ts';
import { lookAt } from './processes.ts';

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

  it('is nobody’s when the command that had it was killed, even if another process has its pid now', async () => {
    for (const dead of [killed(), `${process.pid} long-ago`]) {
      leave('one', dead);
      await alone(home, 'one', async () => undefined);
      expect(existsSync(join(home, '.locks/one'))).toBe(false);
    }
  });

  it('is taken from a dead command by one other at a time: two would take it from each other', async () => {
    const dead = killed();
    const [pid] = dead.split(' ');
    leave('one', dead);
    leave(`one.of-${pid}`, `${process.pid} ${lookAt(process.pid)?.startedAt}`);
    const work = alone(home, 'one', async () => 'done');
    expect(readFileSync(join(home, '.locks/one'), 'utf8')).toBe(dead);
    // Whoever was at it has been killed, too.
    leave(`one.of-${pid}`, killed());
    expect(await work).toBe('done');
    expect(readdirSync(join(home, '.locks'))).toEqual([]);
  });

  it('is free again when the work has failed', async () => {
    await expect(alone(home, 'one', () => Promise.reject(new Error('in vain')))).rejects.toThrow('in vain');
    expect(existsSync(join(home, '.locks/one'))).toBe(false);
  });
});

/** Owner of a lock who is no more. */
function killed(): string {
  return `${spawnSync('true').pid} 1`;
}

function leave(lock: string, owner: string): void {
  mkdirSync(join(home, '.locks'), { recursive: true });
  writeFileSync(join(home, '.locks', lock), owner);
}

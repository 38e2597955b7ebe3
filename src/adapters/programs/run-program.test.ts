import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock/system-clock.ts';
import { runProgram } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'] };
const minute = 60_000;

describe('a program that ends by itself', () => {
  it('tells its code and what it said', async () => {
    const end = await sh('echo out; echo err >&2; exit 7');
    expect(end).toEqual({ out: 'out\n', err: 'err\n', code: 7, because: 'ended' });
  });

  it('tells each line as it comes, also the last one without an end, and messages on descriptor 3', async () => {
    const lines: string[] = [];
    const messages: string[] = [];
    await sh('printf "a\\r\\nb"; echo c >&2; printf "{}\\nhalf" >&3', {
      onLine: (line, from) => lines.push(`${from} ${line}`),
      onMessage: (line) => messages.push(line),
    });
    expect(lines.sort()).toEqual(['err c', 'out a', 'out b']);
    expect(messages).toEqual(['{}', 'half']);
  });

  it('is known by the end of a long output, which is what says why it failed', async () => {
    const { out } = await sh('yes 0123456789 | head -c 3000000; echo the end');
    expect(out.length).toBe(1024 * 1024);
    expect(out).toMatch(/the end\n$/);
  });

  it('gets exactly the environment it was given', async () => {
    const { out } = await sh('env | grep -v -e ^TIPHYS_FAMILY_ -e ^PWD= -e ^_= -e ^SHLVL= | sort', {
      env: { ...env, A: '1', B: undefined },
    });
    expect(out).toBe(`A=1\nPATH=${env.PATH}\n`);
  });

  it('takes those along whom it left in the background, also who left its group', async () => {
    const pids = join(folder, 'left-behind');
    const { because, code } = await sh(`sleep 600 & echo $! >> ${pids}; setsid sleep 600 & echo $! >> ${pids}; exit 0`);
    expect([because, code]).toEqual(['ended', 0]);
    expect(numbersIn(pids).filter(isAlive)).toEqual([]);
  });
});

describe('a program that cannot be started', () => {
  it('is not found', async () => {
    expect(await runProgram({ command: 'no-such-program', args: [], env, deadlineMs: minute })).toMatchObject({
      because: 'not-found',
      code: undefined,
    });
  });

  it('is not executable', async () => {
    const file = join(folder, 'text');
    writeFileSync(file, 'text', { mode: 0o644 });
    expect(await runProgram({ command: file, args: [], env, deadlineMs: minute })).toMatchObject({
      because: 'not-executable',
    });
  });

  it('is not started at all for somebody who has stopped already', async () => {
    const file = join(folder, 'never');
    expect(await sh(`touch ${file}`, { signal: AbortSignal.abort() })).toMatchObject({ because: 'stopped' });
    expect(existsSync(file)).toBe(false);
  });
});

describe('a program that does not end by itself', () => {
  it('is asked to end, and may tidy up', async () => {
    const stop = new AbortController();
    const file = join(folder, 'tidied');
    const end = sh(`trap 'echo bye > ${file}; exit 0' TERM; echo ready; while :; do sleep 0.05; done`, {
      signal: stop.signal,
      onLine: () => stop.abort(),
    });
    expect(await end).toMatchObject({ because: 'stopped', code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('bye\n');
  });

  it('is over at its deadline', async () => {
    expect(await sh('exec sleep 600', { deadlineMs: 100 })).toMatchObject({ because: 'deadline', code: undefined });
  });

  it('leaves no orphan: grandchildren that ignore SIGTERM, in its group and out of it, are gone five seconds later', async () => {
    const pids = join(folder, 'stubborn');
    const stop = new AbortController();
    const stubborn = `sh -c 'trap "" TERM; echo $$ >> ${pids}; while :; do sleep 1; done'`;
    const startedAt = systemClock.now();
    const end = await sh(
      `trap "" TERM; ${stubborn} & setsid ${stubborn} & setsid setsid ${stubborn} & echo $$ >> ${pids}; until [ "$(wc -l < ${pids})" = 4 ]; do sleep 0.05; done; echo ready; while :; do sleep 1; done`,
      {
        signal: stop.signal,
        onLine: () => stop.abort(),
      },
    );
    expect(end).toMatchObject({ because: 'stopped', code: undefined });
    expect(systemClock.now() - startedAt).toBeGreaterThanOrEqual(5_000);
    const all = numbersIn(pids);
    expect(all).toHaveLength(4);
    expect(all.filter(isAlive)).toEqual([]);
  });
});

describe('we ourselves killed in the middle', () => {
  it('leave neither the program nor the folder it read: a warden hears of our end', async () => {
    const pids = join(folder, 'widow');
    const litter = mkdtempSync(join(folder, 'litter-'));
    const program = join(folder, 'parent.mjs');
    writeFileSync(
      program,
      `import { runProgram } from ${JSON.stringify(bundled())};
       await runProgram({ command: 'sh', args: ['-c', 'echo $$ > ${pids}; setsid sleep 600 & echo $! >> ${pids}; echo ready >&2; wait'],
         deadlineMs: 600000, litter: ${JSON.stringify(litter)}, onLine: (line) => process.stderr.write(line) });`,
    );
    const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
    await once(parent.stderr, 'data');
    parent.kill('SIGKILL');
    await eventually('the program and what it started end', () => numbersIn(pids).filter(isAlive).length === 0);
    await eventually('its folder goes', () => !existsSync(litter));
  });
});

type Rest = Partial<Parameters<typeof runProgram>[0]>;

function sh(script: string, rest: Rest = {}): ReturnType<typeof runProgram> {
  return runProgram({ command: 'sh', args: ['-c', script], env, deadlineMs: minute, ...rest });
}

/** Something that Node runs without us. */
function bundled(): string {
  const outfile = join(folder, 'run-program.mjs');
  const entry = fileURLToPath(new URL('run-program.ts', import.meta.url));
  buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile });
  return outfile;
}

function numbersIn(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const until = systemClock.now() + 15_000;
  while (!isSo()) {
    if (systemClock.now() > until) throw new Error(`15 s were not enough until ${what}`);
    await systemClock.sleep(50);
  }
}

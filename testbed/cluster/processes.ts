import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import type { StartedProcess } from './state.ts';

export interface ProcessOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly log: string;
}

/** Starts a process that outlives this one, its words in a log file. */
export async function startProcess({ command, args, env, cwd, log }: ProcessOrder): Promise<StartedProcess> {
  const file = openSync(log, 'a', 0o600);
  try {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', file, file] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    const pid = child.pid as number;
    child.unref();
    return { pid, startedAt: lookAt(pid)?.startedAt ?? 'gone' };
  } finally {
    closeSync(file);
  }
}

/** Is it still this very process? A zombie that nobody has waited for is not. */
export function isRunning({ pid, startedAt }: StartedProcess): boolean {
  return lookAt(pid)?.startedAt === startedAt;
}

/** Asks it to end, and ends it when it does not listen. */
export async function endProcess(started: StartedProcess, graceMs: number): Promise<void> {
  for (const [signal, waitMs] of [['SIGTERM', graceMs] as const, ['SIGKILL', 5_000] as const]) {
    if (!isRunning(started)) return;
    send(started, signal);
    const until = systemClock.now() + waitMs;
    while (isRunning(started) && systemClock.now() < until) await systemClock.sleep(20);
  }
}

function send({ pid }: StartedProcess, signal: NodeJS.Signals): void {
  try {
    // The whole group: a repo-server may have a git of its own running.
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What the kernel says of a process; undefined when there is none, or only what nobody has waited for. */
export function lookAt(pid: number): { readonly startedAt: string; readonly group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so fields are counted from behind it.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // The start is counted in clock ticks since the machine started.
    return state === 'Z' ? undefined : { group: Number(fields[1]), startedAt: fields[18] ?? '' };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock } from '../clock/system-clock.ts';
import { systemId } from '../clock/system-random.ts';
import { keepOutput, readLines } from './keep-output.ts';
import { endFamily, type Family, markOf } from './process-family.ts';
import { postWarden } from './warden.ts';

export interface ProgramOrder {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment; without it, ours. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Each line of its output as it comes. */
  readonly onLine?: (line: string, from: 'out' | 'err') => void;
  /** Given to the program as file descriptor 3; each line of it as it comes. */
  readonly onMessage?: (line: string) => void;
  /** A folder of ours that it reads: removed after it if we are killed and cannot do it ourselves. */
  readonly litter?: string;
}

export interface ProgramEnd {
  /** The end of what it said, at most 1 MiB each. */
  readonly out: string;
  readonly err: string;
  /** undefined: ended by a signal, or never started. */
  readonly code: number | undefined;
  readonly because: 'ended' | 'not-found' | 'not-executable' | 'deadline' | 'stopped';
}

/**
 * Runs a program and everything it starts until it ends, its deadline or the signal: then none of them is left, whatever they
 * ignore and wherever they went. Never rejects for what the program does.
 */
export async function runProgram(order: ProgramOrder): Promise<ProgramEnd> {
  if (order.signal?.aborted === true) return { out: '', err: '', code: undefined, because: 'stopped' };
  const mark = markOf(systemId());
  const child = started(order, mark);
  const output = keepOutput(child, order.onLine);
  const messages = child.stdio[3];
  if (order.onMessage !== undefined && messages !== null && messages !== undefined && 'setEncoding' in messages)
    readLines(messages, order.onMessage);
  const exit = leaving(child);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const { pid } = child;
  if (pid === undefined) return neverStarted(await exit);
  const family: Family = { leader: pid, mark };
  const warden = postWarden(family, order.litter);
  try {
    const because = await firstOf(order, exit);
    await endFamily(family);
    const { code } = await exit;
    await drained(child, closed);
    return { ...output(), code: code ?? undefined, because };
  } finally {
    warden.dismiss();
  }
}

/** Detached: a process group of its own, so that one signal reaches all of it and Ctrl-C reaches only us, who then decide. */
function started(order: ProgramOrder, mark: string): ChildProcess {
  const { command, args, env = process.env, cwd, onMessage } = order;
  return spawn(command, [...args], {
    env: { ...env, [mark]: '1' },
    stdio: onMessage === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

interface Exit {
  readonly code: number | null;
  readonly error: NodeJS.ErrnoException | undefined;
}

function leaving(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve({ code, error: undefined }));
    child.once('error', (error) => resolve({ code: null, error }));
  });
}

function neverStarted({ error }: Exit): ProgramEnd {
  const because = error?.code === 'ENOENT' ? 'not-found' : 'not-executable';
  return { out: '', err: error?.message ?? '', code: undefined, because };
}

/** What comes first: its own end, its deadline, or the signal. */
async function firstOf(order: ProgramOrder, exit: Promise<unknown>): Promise<'ended' | 'deadline' | 'stopped'> {
  const over = new AbortController();
  const { signal } = order;
  let stop = (): void => undefined;
  const stopped = new Promise<'stopped'>((resolve) => {
    stop = () => resolve('stopped');
    signal?.addEventListener('abort', stop, { once: true });
  });
  const late = systemClock.sleep(order.deadlineMs, over.signal).then(
    () => 'deadline' as const,
    () => 'ended' as const,
  );
  try {
    return await Promise.race([exit.then(() => 'ended' as const), late, stopped]);
  } finally {
    over.abort(itsEnd);
    signal?.removeEventListener('abort', stop);
  }
}

const itsEnd = new Error('the program has ended');

/** Everybody who could write is gone, so its pipes are empty in a moment; where families cannot be seen somebody may hold one open. */
async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const over = new AbortController();
  const enough = systemClock.sleep(1_000, over.signal).catch(() => undefined);
  await Promise.race([closed, enough]);
  over.abort(itsEnd);
  for (const stream of child.stdio) stream?.destroy();
}

import type { Running } from '../real/program.ts';
import { eventually } from '../real/waiting.ts';

/** How a run of the program ended: by itself, or by us. */
export interface Ending {
  readonly wasKilled: boolean;
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
  /** From its first word to its end. */
  readonly tookMs: number;
}

/** Kills the program so long after its first word, unless it has ended by then. */
export async function runAndKill(running: Running, afterMs: number): Promise<Ending> {
  const begunAt = await firstWord(running);
  const moment = new AbortController();
  const wasKilled = await Promise.race([
    running.ended.then(() => false),
    pause(afterMs, moment.signal).then(() => running.child.kill('SIGKILL')),
  ]);
  moment.abort();
  return endingOf(running, { wasKilled, begunAt });
}

/** Does something beside the program so long after its first word, and waits for both to end. */
export async function runAndMeanwhile(
  running: Running,
  afterMs: number,
  work: () => Promise<void>,
): Promise<Ending & { readonly wasStruck: boolean }> {
  const begunAt = await firstWord(running);
  await pause(afterMs);
  const wasStruck = running.child.exitCode === null;
  if (wasStruck) await work();
  return { ...(await endingOf(running, { wasKilled: false, begunAt })), wasStruck };
}

/** Waits so long; ends early, and without complaint, when told to. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Before it there is nothing to be interrupted: the program is only being loaded. */
async function firstWord({ said, child }: Running): Promise<number> {
  await eventually('the program says its first word', async () => said.err !== '' || child.exitCode !== null);
  return Date.now();
}

async function endingOf(
  running: Running,
  { wasKilled, begunAt }: { wasKilled: boolean; begunAt: number },
): Promise<Ending> {
  const exitCode = await inTime(running);
  return { wasKilled, exitCode, ...running.said, tookMs: Date.now() - begunAt };
}

const deadlineMs = 300_000;

/** A run that hangs is a finding, and not the end of the suite. */
async function inTime({ ended, said, child }: Running): Promise<number | null> {
  const waiting = new AbortController();
  const hangs = pause(deadlineMs, waiting.signal).then(() => {
    if (waiting.signal.aborted) return null;
    child.kill('SIGKILL');
    throw new Error(`the run did not end within ${deadlineMs / 1000} s; its last words:\n${said.err.slice(-2000)}`);
  });
  try {
    return await Promise.race([ended, hangs]);
  } finally {
    waiting.abort();
  }
}

import { join } from 'node:path';
import { executorBeside, type Running, startProgram } from './program.ts';
import type { RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

/** `executor agent` as a process beside the testbed. */
export interface RunningAgent {
  readonly said: Running['said'];
  /** SIGKILL: its lease stays behind and has to run out. */
  kill(): Promise<void>;
  /** SIGTERM: it gives its lease back. Answers its exit code. */
  stop(): Promise<number | null>;
}

/** A killed agent stands in the way of the next one until its lease has run out. */
const leaseMs = 60_000;

/** Starts an agent, and waits until it is the one that works. */
export async function startAgent({ program, state }: RealBed): Promise<RunningAgent> {
  const words = ['agent', '--kubeconfig', join(state.folder, 'kubeconfig'), '--namespace', 'argo'];
  const { child, said, ended } = startProgram(executorBeside(program), words);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  try {
    const isUp = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      return said.err.includes('this agent works');
    };
    await eventually('the agent works', isUp, leaseMs);
  } catch (error) {
    await end('SIGKILL');
    throw new Error(`the agent did not begin:\n${said.err}`, { cause: error });
  }
  return { said, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') };
}

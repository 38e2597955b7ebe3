import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, startProcess } from './processes.ts';
import type { StartedProcess, TestbedState } from './state.ts';
import { takePorts } from './take-ports.ts';

/** A home for testbeds in which `sleep` stands for every program. */
export interface SleepyHome {
  readonly home: string;
  /** Starts something that does nothing, with more in its environment. */
  sleeper(env?: NodeJS.ProcessEnv): Promise<StartedProcess>;
  /** A testbed of this name with such processes; nothing is written. */
  testbed(name: string, components?: readonly string[]): Promise<TestbedState>;
  /** Ends what was started and removes everything. */
  close(): Promise<void>;
}

export function sleepyHome(): SleepyHome {
  const home = mkdtempSync(join(tmpdir(), 'testbed-home-'));
  const started: StartedProcess[] = [];
  const sleeper = async (more: NodeJS.ProcessEnv = {}): Promise<StartedProcess> => {
    const order = { command: 'sleep', args: ['1000'], env: { ...process.env, ...more }, cwd: home };
    const one = await startProcess({ ...order, log: join(home, 'log') });
    started.push(one);
    return one;
  };
  return {
    home,
    sleeper,
    async testbed(name, components = []) {
      const folder = join(home, name);
      mkdirSync(join(folder, 'log'), { recursive: true });
      const ports = await takePorts(home, name);
      const processes: Record<string, StartedProcess> = {};
      for (const component of components) processes[component] = await sleeper();
      return { name, folder, argocd: '3.5', ports, reconciliation: '120s', requeue: '100ms', processes };
    },
    async close() {
      for (const one of started) await endProcess(one, 0);
      rmSync(home, { recursive: true });
    },
  };
}

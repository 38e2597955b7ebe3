import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { waitUntil } from './wait-until.ts';

export interface BenchAgent {
  /** Ends it, and answers what it has cost. */
  stop(): Promise<{ readonly cpuMs: number; readonly requests: number }>;
}

/** The real agent, as a process of its own; it works when this answers. */
export async function startBenchAgent({ folder }: TestbedState): Promise<BenchAgent> {
  const words = ['bin/executor', 'agent', '--kubeconfig', join(folder, 'kubeconfig'), '--namespace', 'argo'];
  const child = spawn(process.execPath, ['--import', './bench/testbed/tell-usage.mjs', ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const texts = { said: '', told: '' };
  child.stdio[2]?.on('data', (chunk: Buffer) => {
    texts.said += chunk.toString();
  });
  (child.stdio[3] as NodeJS.ReadableStream).on('data', (chunk: Buffer) => {
    texts.told += chunk.toString();
  });
  await waitUntil('the agent works', async () => texts.said.includes('this agent works'));
  return {
    async stop() {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      return JSON.parse(texts.told) as { cpuMs: number; requests: number };
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../src/core/run/events.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { tellingWhy } from './wait-until.ts';

/** What a run of an executor has cost it. */
export interface ExecutorRun {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly cpuMs: number;
  readonly requests: number;
  readonly peakMegabytes: number;
  /** Of the real command only. */
  readonly events: readonly RunEvent[];
}

export interface ExecutorOrder {
  readonly state: TestbedState;
  /** The platform's. */
  readonly folder: string;
  /** Where the bundled floor is. */
  readonly built: string;
  /** Words of the command line besides. */
  readonly words?: readonly string[];
}

/** The real command, as a person would type it. */
export async function runTiphys({ state, folder, words = [] }: ExecutorOrder): Promise<ExecutorRun> {
  const events = join(state.folder, 'events.jsonl');
  const cluster = ['--kubeconfig', kubeconfig(state), '--git-repository', `file://${join(state.folder, 'repo')}`];
  const run = await runNode(['bin/tiphys', 'deploy', folder, ...cluster, '-o', 'json', '--events', events, ...words]);
  const lines = readFileSync(events, 'utf8').trim().split('\n');
  return { ...run, events: lines.map((line) => JSON.parse(line) as RunEvent) };
}

/** The bare loop, as a process of its own, too. */
export async function runFloor({ state, folder, built }: ExecutorOrder): Promise<ExecutorRun> {
  return runNode([join(built, 'floor.js'), kubeconfig(state), folder]);
}

function kubeconfig({ folder }: TestbedState): string {
  return join(folder, 'kubeconfig');
}

/** Whatever takes longer hangs. */
const longestMs = 1_200_000;

async function runNode(args: readonly string[]): Promise<ExecutorRun> {
  const startedAt = Date.now();
  const child = spawn(process.execPath, ['--import', './bench/testbed/tell-usage.mjs', ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const said = textOf(child.stdio[2]);
  const told = textOf(child.stdio[3]);
  const lastLine = (): string => said().trimEnd().split('\n').at(-1) ?? '';
  const [code] = (await tellingWhy(once(child, 'close'), () => `${args[0]} says: ${lastLine()}`)) as [number | null];
  const endedAt = Date.now();
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${said().slice(-2000)}`);
  const { requests, cpuMs, maxRSS } = JSON.parse(told()) as { requests: number; cpuMs: number; maxRSS: number };
  // libuv tells kibibytes on every system.
  return { startedAt, endedAt, cpuMs, requests, peakMegabytes: (maxRSS * 1024) / 1e6, events: [] };
}

function textOf(stream: unknown): () => string {
  let text = '';
  (stream as NodeJS.ReadableStream).on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

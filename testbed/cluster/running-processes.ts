import { readRecord } from '../kubelet/record.ts';
import { markedProcesses } from './marked-processes.ts';
import { isRunning } from './processes.ts';
import type { StartedProcess, TestbedState } from './state.ts';

/** Everything of a testbed that runs, by name: what `up` has written down, what the part of the kubelet has, and what nobody came to write down. */
export function runningProcesses({
  folder,
  processes,
}: Pick<TestbedState, 'folder' | 'processes'>): (readonly [string, StartedProcess])[] {
  const written = [...Object.entries(processes), ...playedProcesses(folder)].filter(([, started]) =>
    isRunning(started),
  );
  const known = new Set(written.map(([, { pid }]) => pid));
  const unwritten = markedProcesses(folder).filter(({ pid }) => !known.has(pid));
  return [...written, ...unwritten.map(({ component, pid, startedAt }) => [component, { pid, startedAt }] as const)];
}

/** What the part of the kubelet has started, whether it still runs or not. */
export function playedProcesses(folder: string): (readonly [string, StartedProcess])[] {
  return Object.entries(readRecord(folder)).flatMap(([part, { process }]) =>
    process === undefined ? [] : [[`kubelet/${part}`, process] as const],
  );
}

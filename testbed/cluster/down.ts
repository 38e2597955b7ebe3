import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { alone } from './lock-name.ts';
import { endProcess } from './processes.ts';
import { runningProcesses } from './running-processes.ts';
import { readState, type StartedProcess, type TestbedState, writeState } from './state.ts';
import { giveBackPorts } from './take-ports.ts';

/** Argo's programs finish what they are at; the API server waits for watchers, so it is not asked twice. */
const graceMs = 4_000;

/** Ends exactly what `up` has started, in reverse. Answers the names of what was still running. */
export async function down(home: string, name: string, options: { readonly forget: boolean }): Promise<string[]> {
  return alone(home, name, async () => {
    const state = readState(home, name);
    if (state === undefined) return [];
    const ended = await endAll(state);
    if (options.forget) forget(home, state);
    return ended;
  });
}

/** Back to an empty cluster: processes ended, their data gone, names, ports and certificates kept. Whoever asks has the lock. */
export async function emptyOut(state: TestbedState): Promise<void> {
  await endAll(state);
  for (const data of ['etcd', 'repo', 'audit.log', 'log', 'tmp', 'kubelet']) {
    rmSync(join(state.folder, data), { recursive: true, force: true });
  }
}

async function endAll(state: TestbedState): Promise<string[]> {
  const running = runningProcesses(state);
  // First the one that would start again what goes; it may just have started something.
  const kubelet = running.find(([name]) => name === 'kubelet-part');
  if (kubelet !== undefined) await endProcess(kubelet[1], graceMs);
  const left = runningProcesses(state);
  await endInOrder(left);
  writeState({ ...state, processes: {} });
  return [...new Set([...running, ...left].map(([name]) => name))];
}

async function endInOrder(running: readonly (readonly [string, StartedProcess])[]): Promise<void> {
  const store = running.filter(([name]) => isStore(name));
  // Clients first: what talks to an API server that is gone fills its log with complaints.
  await Promise.all(running.filter(([name]) => !isStore(name)).map(([, started]) => endProcess(started, graceMs)));
  for (const [, started] of store.reverse()) await endProcess(started, graceMs);
}

function isStore(name: string): boolean {
  return name === 'etcd' || name === 'kube-apiserver';
}

function forget(home: string, { name, folder, ports }: TestbedState): void {
  rmSync(folder, { recursive: true, force: true });
  giveBackPorts(home, name, ports.api);
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockName } from './lock-name.ts';
import { endProcess, isRunning } from './processes.ts';
import { readState, type TestbedState, writeState } from './state.ts';
import { giveBackPorts } from './take-ports.ts';

/** Argo's programs finish what they are at; the API server waits for watchers, so it is not asked twice. */
const graceMs = 4_000;

/** Ends exactly what `up` has started, in reverse. Answers the names of what was still running. */
export async function down(home: string, name: string, options: { readonly forget: boolean }): Promise<string[]> {
  const unlock = await lockName(home, name);
  try {
    const state = readState(home, name);
    if (state === undefined) return [];
    const ended = await endAll(state);
    if (options.forget) forget(home, state);
    return ended;
  } finally {
    unlock();
  }
}

/** Back to an empty cluster: processes ended, their data gone, names, ports and certificates kept. */
export async function emptyOut(home: string, name: string): Promise<void> {
  const unlock = await lockName(home, name);
  try {
    const state = readState(home, name);
    if (state === undefined) return;
    await endAll(state);
    for (const data of ['etcd', 'repo', 'audit.log', 'log', 'tmp']) {
      rmSync(join(state.folder, data), { recursive: true, force: true });
    }
  } finally {
    unlock();
  }
}

async function endAll(state: TestbedState): Promise<string[]> {
  const running = Object.entries(state.processes).filter(([, started]) => isRunning(started));
  const store = running.filter(([name]) => isStore(name));
  // Clients first: what talks to an API server that is gone fills its log with complaints.
  await Promise.all(running.filter(([name]) => !isStore(name)).map(([, started]) => endProcess(started, graceMs)));
  for (const [, started] of store.reverse()) await endProcess(started, graceMs);
  writeState({ ...state, processes: {} });
  return running.map(([name]) => name);
}

function isStore(name: string): boolean {
  return name === 'etcd' || name === 'kube-apiserver';
}

function forget(home: string, { folder, ports }: TestbedState): void {
  rmSync(folder, { recursive: true, force: true });
  giveBackPorts(home, ports.api);
}

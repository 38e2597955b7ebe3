import { existsSync } from 'node:fs';
import { etcdPki } from './pki.ts';
import { endProcess, isRunning } from './processes.ts';
import type { TestbedState } from './state.ts';

/** Ends what runs with other settings than those wished for now, so that it is started again with these. */
export async function endOutdated(
  before: TestbedState | undefined,
  now: TestbedState,
  report: (line: string) => void,
): Promise<void> {
  for (const setting of ['reconciliation', 'requeue'] as const) {
    const started = now.processes[readers[setting]];
    // An older testbed's file may not tell.
    const was: string | undefined = before?.[setting];
    if (was === undefined || was === now[setting] || started === undefined || !isRunning(started)) continue;
    report(`${readers[setting]} starts again, because --${setting} is ${now[setting]} now and was ${was}`);
    await endProcess(started, graceMs);
  }
  await endPlainStore(now, report);
}

/** An older testbed's etcd speaks without TLS, and its API server with it. Both start again on the same data. */
async function endPlainStore({ folder, processes }: TestbedState, report: (line: string) => void): Promise<void> {
  if (existsSync(etcdPki(folder))) return;
  for (const name of ['kube-apiserver', 'etcd']) {
    const started = processes[name];
    if (started === undefined || !isRunning(started)) continue;
    report(`${name} starts again, because API server and etcd speak TLS now and did not`);
    await endProcess(started, graceMs);
  }
}

/** Each is read once, when its reader starts. */
const readers = { reconciliation: 'argocd-application-controller', requeue: 'workflow-controller' } as const;

const graceMs = 4_000;

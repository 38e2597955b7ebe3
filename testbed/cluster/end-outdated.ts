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
}

/** Each is read once, when its reader starts. */
const readers = { reconciliation: 'argocd-application-controller', requeue: 'workflow-controller' } as const;

const graceMs = 4_000;

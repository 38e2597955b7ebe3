import { join } from 'node:path';
import { markedProcesses } from './marked-processes.ts';
import { isRunning } from './processes.ts';
import { type NewTestbed, readState, type StartedProcess, type TestbedState, writeState } from './state.ts';
import { areFree, completePorts, giveBackPorts, takePorts } from './take-ports.ts';
import { TestbedError } from './testbed-error.ts';

export interface Wanted extends Partial<NewTestbed> {
  readonly home: string;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a testbed will be started from. */
export type Foreseen = Pick<TestbedState, 'argocd' | 'empty' | 'binaries'>;

/** Which programs `knownOrNew` will ask for. Refuses what it would refuse, and writes nothing down. */
export function foresee(wanted: Wanted): Foreseen {
  const before = readState(wanted.home, wanted.name);
  refuseTheImpossible(wanted, before);
  const { argocd = usualLine, empty } = before ?? wanted;
  return { argocd, ...(empty && { empty }), ...given(wanted, before?.binaries) };
}

/** What is known of this testbed with what is wished for now, or a new one. */
export async function knownOrNew(wanted: Wanted): Promise<TestbedState> {
  const { home, name, reconciliation, requeue } = wanted;
  const before = readState(home, name);
  refuseTheImpossible(wanted, before);
  const found = { ...inTheBeginning, ...(before ?? (await newTestbed(wanted))) };
  const known = { ...found, ports: completePorts(found.ports), processes: withUnrecorded(found) };
  const ports = await portsStillOurs(home, known);
  return {
    ...known,
    ports,
    reconciliation: reconciliation ?? known.reconciliation,
    requeue: requeue ?? known.requeue,
    ...given(wanted, known.binaries),
  };
}

/** Programs that were given once are taken again: a forgotten variable must not mean a long build. */
export function environmentOf(env: NodeJS.ProcessEnv, { binaries }: Pick<Foreseen, 'binaries'>): NodeJS.ProcessEnv {
  return binaries === undefined ? env : { ...env, [folderOfPrograms]: binaries };
}

/** Given now, even if it is nothing, or remembered. */
function given({ env }: Wanted, remembered: string | undefined): Pick<Foreseen, 'binaries'> {
  const binaries = env[folderOfPrograms] ?? remembered;
  return binaries === undefined ? {} : { binaries };
}

const folderOfPrograms = 'TIPHYS_TESTBED_BIN';

/** Of Argo CD. */
export const usualLine = '3.5';

/** A hop between two tasks of an agent takes two requeues: with the controller's own 10 s no plan would ever end. */
const inTheBeginning = { reconciliation: '120s', requeue: '100ms' } as const;

function refuseTheImpossible(wanted: Wanted, before: TestbedState | undefined): void {
  const { name, argocd, empty } = wanted;
  if (argocd !== undefined && before !== undefined && argocd !== before.argocd) {
    throw new TestbedError(`the testbed ${name} has Argo CD ${before.argocd}, not ${argocd}`, otherwise(name));
  }
  if (empty && before !== undefined && before.empty === undefined) {
    throw new TestbedError(`the testbed ${name} is not an empty one: it comes with Argo CD`, otherwise(name));
  }
  if (before === undefined ? empty : before.empty) refuseSettings(wanted);
}

function otherwise(name: string): string {
  return `Take another --name, or remove it first: npm run testbed -- down --name ${name} --delete`;
}

function refuseSettings({ name, reconciliation, requeue }: Wanted): void {
  if (reconciliation === undefined && requeue === undefined) return;
  throw new TestbedError(
    `${name} is an empty testbed: charts bring Argo CD and Argo Workflows, and their settings with them`,
    'Set timeout.reconciliation in configs.cm of argo-cd, or DEFAULT_REQUEUE_TIME in controller.extraEnv of argo-workflows.',
  );
}

async function newTestbed({ home, name, argocd = usualLine, empty }: Wanted): Promise<TestbedState> {
  const ports = await takePorts(home, name);
  const folder = join(home, name);
  const fresh = { name, folder, argocd, ports, ...inTheBeginning, processes: {}, ...(empty && { empty }) };
  writeState(fresh);
  return fresh;
}

/** Somebody who was killed between starting a process and writing it down has left its mark on it. */
function withUnrecorded({ folder, processes }: TestbedState): Record<string, StartedProcess> {
  const all: Record<string, StartedProcess> = { ...processes };
  for (const { component, pid, startedAt } of markedProcesses(folder)) {
    const known = all[component];
    // What stands below another part is that part's to know.
    if (component.includes('/') || (known !== undefined && isRunning(known))) continue;
    all[component] = { pid, startedAt };
  }
  return all;
}

/** Ports are ours while something of ours runs on them; while nothing did, somebody else may have come. */
async function portsStillOurs(home: string, state: TestbedState): Promise<TestbedState['ports']> {
  const { name, folder, ports, processes } = state;
  const runsSomething = Object.values(processes).some(isRunning) || markedProcesses(folder).length > 0;
  if (runsSomething || (await areFree(ports))) return ports;
  giveBackPorts(home, name, ports.api);
  return takePorts(home, name);
}

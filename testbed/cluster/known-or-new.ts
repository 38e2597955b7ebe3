import { join } from 'node:path';
import { isRunning } from './processes.ts';
import { type NewTestbed, readState, type TestbedState, writeState } from './state.ts';
import { areFree, giveBackPorts, takePorts } from './take-ports.ts';
import { TestbedError } from './testbed-error.ts';

export interface Wanted extends Partial<NewTestbed> {
  readonly home: string;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What is known of this testbed with what is wished for now, or a new one. */
export async function knownOrNew(wanted: Wanted): Promise<TestbedState> {
  const { home, name, argocd, reconciliation, requeue } = wanted;
  const known = { ...inTheBeginning, ...(readState(home, name) ?? (await newTestbed(wanted))) };
  if (argocd !== undefined && argocd !== known.argocd) {
    throw new TestbedError(
      `the testbed ${name} has Argo CD ${known.argocd}, not ${argocd}`,
      `Take another --name, or remove it first: npm run testbed -- down --name ${name} --delete`,
    );
  }
  const ports = await portsStillOurs(home, known);
  const binaries = wanted.env[given] ?? known.binaries;
  const state = {
    ...known,
    ports,
    reconciliation: reconciliation ?? known.reconciliation,
    requeue: requeue ?? known.requeue,
  };
  return binaries === undefined ? state : { ...state, binaries };
}

/** Programs that were given once are taken again: a forgotten variable must not mean an hour of building. */
export function environmentOf(env: NodeJS.ProcessEnv, { binaries }: TestbedState): NodeJS.ProcessEnv {
  return binaries === undefined ? env : { ...env, [given]: binaries };
}

const given = 'TIPHYS_TESTBED_BIN';

/** A hop between two tasks of an agent takes two requeues: with the controller's own 10 s no plan would ever end. */
const inTheBeginning = { reconciliation: '120s', requeue: '200ms' } as const;

async function newTestbed({ home, name, argocd = '3.5' }: Wanted): Promise<TestbedState> {
  const ports = await takePorts(home, name);
  const fresh = { name, folder: join(home, name), argocd, ports, ...inTheBeginning, processes: {} };
  writeState(fresh);
  return fresh;
}

/** Ports are ours while something of ours runs on them; while nothing did, somebody else may have come. */
async function portsStillOurs(home: string, { name, ports, processes }: TestbedState): Promise<TestbedState['ports']> {
  if (Object.values(processes).some(isRunning) || (await areFree(ports))) return ports;
  giveBackPorts(home, ports.api);
  return takePorts(home, name);
}

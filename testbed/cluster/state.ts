import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ArgoCdLine, Testbed } from '../testbed.ts';

/** What a testbed's folder remembers between two commands. */
export interface TestbedState extends Testbed {
  /** How often Argo CD looks at everything again by itself. */
  readonly reconciliation: string;
  /** How long the Workflows controller lets a Workflow rest between two looks. */
  readonly requeue: string;
  /** Where its programs were when it was given some; nothing: our own builds. */
  readonly binaries?: string;
  /** Where the charts stand that are meant for an empty one. */
  readonly charts?: string;
  /** By component: what `up` has started. */
  readonly processes: Readonly<Record<string, StartedProcess>>;
}

/** A pid alone may be somebody else's by now; together with its start time it is one process. */
export interface StartedProcess {
  readonly pid: number;
  readonly startedAt: string;
}

export interface NewTestbed {
  readonly argocd: ArgoCdLine;
  readonly reconciliation: string;
  readonly requeue: string;
  readonly empty: true;
}

/** Where all testbeds of this user stand. */
export function testbedHome(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? homedir(), '.local/state');
  return env['TIPHYS_TESTBED_HOME'] ?? join(state, 'tiphys/testbed');
}

/** The testbed of this name, or undefined when there is none. */
export function readState(home: string, name: string): TestbedState | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(join(home, name)), 'utf8')) as TestbedState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written beside and renamed, so that a reader never sees half of it. */
export function writeState(state: TestbedState): void {
  mkdirSync(state.folder, { recursive: true, mode: 0o700 });
  const file = stateFile(state.folder);
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(beside, file);
}

/** The names of all testbeds. */
export function testbedNames(home: string): string[] {
  try {
    return readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function stateFile(folder: string): string {
  return join(folder, 'testbed.json');
}

import { dirname, join } from 'node:path';
import { type ProgramEnd, runProgram } from '../adapters/programs/run-program.ts';
import { lastWords } from './last-words.ts';
import { ansibleScratch, programEnvironment, type Variables } from './program-environment.ts';

/** What an Ansible is, or why it will not do. */
export type Inspection =
  | { readonly will: true; readonly core: string; readonly collection: string }
  | { readonly will: false; readonly because: string };

export interface InspectOrder {
  /** The absolute path of an ansible-playbook. */
  readonly playbook: string;
  readonly env: Variables;
  /** A folder that may be written. */
  readonly scratch: string;
}

/** R3.4: core 2.15 or newer, the collection kubernetes.core 4 or newer, and the Python packages that it needs. */
export async function inspectAnsible(order: InspectOrder, signal: AbortSignal): Promise<Inspection> {
  const galaxy = join(dirname(order.playbook), 'ansible-galaxy');
  const [version, collections] = await Promise.all([
    said(order, [order.playbook, '--version'], signal),
    said(order, [galaxy, 'collection', 'list', 'kubernetes.core', '--format', 'json'], signal),
  ]);
  if (version.code !== 0) return not(`${order.playbook} --version failed: ${lastWords(version.err, version.out)}`);
  const core = /core (\d+\.\d+[^\s\]]*)/.exec(version.out)?.[1];
  if (core === undefined || !isAtLeast(core, [2, 15])) return not(`${order.playbook} is core ${core ?? '?'}, not 2.15`);
  const collection = collectionVersion(collections.out);
  if (collection === undefined) return not(`${order.playbook} has no collection kubernetes.core`);
  if (!isAtLeast(collection, [4, 0])) return not(`its collection kubernetes.core is ${collection}, not 4.0`);
  const lack = await lackOfPackages(order, version.out, signal);
  return lack === undefined ? { will: true, core, collection } : not(lack);
}

/** What the modules of the collection import, asked of the Python that Ansible says it uses. */
async function lackOfPackages(order: InspectOrder, version: string, signal: AbortSignal): Promise<string | undefined> {
  const python = /^\s*python version = .*\((\/.*)\)\s*$/m.exec(version)?.[1];
  if (python === undefined) return `${order.playbook} does not say which Python it uses`;
  const { code, err, out } = await said(order, [python, '-c', 'import kubernetes, yaml, jsonpatch'], signal);
  return code === 0 ? undefined : `its Python lacks a package: ${lastWords(err, out)}`;
}

function not(because: string): Inspection {
  return { will: false, because };
}

async function said(
  { env, scratch }: InspectOrder,
  words: readonly string[],
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const [command = '', ...args] = words;
  const end = await runProgram({
    command,
    args,
    env: { ...programEnvironment(env), ...ansibleScratch(scratch) },
    cwd: scratch,
    deadlineMs: 60_000,
    signal,
  });
  // Whoever was stopped has said nothing about what it is.
  signal.throwIfAborted();
  return end;
}

/** `{"<folder>": {"kubernetes.core": {"version": "6.2.0"}}}`, in the order in which Ansible looks. */
function collectionVersion(text: string): string | undefined {
  return /"kubernetes\.core":\s*\{\s*"version":\s*"([^"]+)"/.exec(text)?.[1];
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return first > major || (first === major && second >= minor);
}

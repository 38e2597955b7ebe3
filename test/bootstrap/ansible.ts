import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const bootstrap = fileURLToPath(new URL('../../bootstrap', import.meta.url));

/** Where a program of Ansible is: in the environment that TIPHYS_ANSIBLE names, or in PATH. */
export function findAnsible(program = 'ansible-playbook'): string | undefined {
  const named = process.env['TIPHYS_ANSIBLE'] ?? '';
  const folders = [
    ...(named === '' ? [] : [join(named, 'bin'), named]),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.filter((folder) => folder !== '').find((folder) => existsSync(join(folder, program)));
}

/** The reason to print where a test cannot run. */
export const withoutAnsible = '(skipped: no Ansible, neither in TIPHYS_ANSIBLE nor in PATH)';

/** What Ansible must not take from whoever runs the tests. */
function environment(scratch: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: `${findAnsible() ?? ''}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: scratch,
    LC_ALL: 'C.UTF-8',
    ANSIBLE_CONFIG: join(bootstrap, 'ansible.cfg'),
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_LOCAL_TEMP: join(scratch, 'local'),
    ANSIBLE_REMOTE_TEMP: join(scratch, 'remote'),
    ...more,
  };
}

/** Runs a program of Ansible to its end, in the folder of the playbooks. */
export function ansible(
  program: string,
  words: readonly string[],
  scratch: string,
  more: Readonly<Record<string, string>> = {},
) {
  const command = join(findAnsible(program) ?? '', program);
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: bootstrap,
    env: environment(scratch, more),
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { code: status, out: stdout, err: stderr };
}

export type Told = Readonly<Record<string, unknown>> & { readonly event: string };

export interface Playing {
  readonly process: ChildProcess;
  /** What the callback has told so far. */
  readonly told: readonly Told[];
  /** The other end of the callback's descriptor. */
  readonly reader: Readable;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly out: string;
  }>;
}

/** The one host, with the Python that runs Ansible. */
export function here(): readonly string[] {
  const python = join(findAnsible() ?? '', 'python3');
  return ['-i', 'localhost,', '-c', 'local', '-e', `ansible_python_interpreter=${python}`];
}

/** Starts a playbook whose events somebody reads, in a process group of its own. */
export function play(playbook: string, scratch: string, more: Readonly<Record<string, string>> = {}): Playing {
  const words = [playbook, ...here()];
  const child = spawn(join(findAnsible() ?? '', 'ansible-playbook'), words, {
    cwd: scratch,
    env: environment(scratch, { TIPHYS_EVENTS_FD: '3', ANSIBLE_ROLES_PATH: join(scratch, 'roles'), ...more }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const told: Told[] = [];
  const reader = child.stdio[3] as Readable;
  createInterface({ input: reader }).on('line', (line) => told.push(JSON.parse(line) as Told));
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const ended = new Promise<Awaited<Playing['ended']>>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out }));
  });
  return { process: child, told, reader, ended };
}

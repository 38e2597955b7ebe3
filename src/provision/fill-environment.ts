import { join } from 'node:path';
import { type ProgramEnd, runProgram } from '../adapters/programs/run-program.ts';
import { OperatorError } from '../engine/operator-error.ts';
import { lastWords } from './last-words.ts';
import { programEnvironment, type Variables } from './program-environment.ts';

export interface FillOrder {
  /** A folder that is not there yet. */
  readonly folder: string;
  readonly requirements: string;
  readonly env: Variables;
}

/** Makes a virtual environment and installs the pinned packages into it, each checked against its hash; exit 3 says what is missing. */
export async function fillEnvironment(order: FillOrder, signal: AbortSignal): Promise<void> {
  const env = { ...programEnvironment(order.env), PIP_USER: 'false', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  const run = async (command: string, args: readonly string[], minutes: number): Promise<ProgramEnd> => {
    const end = await runProgram({ command, args, env, deadlineMs: minutes * 60_000, signal });
    signal.throwIfAborted();
    return end;
  };
  const python = await findPython(run);
  const made = await run(python, ['-m', 'venv', order.folder], 5);
  if (made.code !== 0) throw noEnvironment(python, made);
  const pip = ['-m', 'pip', 'install', '--no-input', '--require-hashes', '-r', order.requirements];
  const filled = await run(join(order.folder, 'bin', 'python'), pip, 20);
  if (filled.code !== 0) throw noPackages(filled);
}

type Run = (command: string, args: readonly string[], minutes: number) => Promise<ProgramEnd>;

/** Ansible 12 needs Python 3.11; `python3` may be older while a newer one lies beside it. */
async function findPython(run: Run): Promise<string> {
  const seen: string[] = [];
  for (const command of ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11']) {
    const { code, out } = await run(command, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], 1);
    if (code !== 0) continue;
    const version = out.trim();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major === 3 && minor >= 11) return command;
    seen.push(`${command} is ${version}`);
  }
  throw missing(
    seen.length === 0 ? 'python3 is not in PATH' : `there is no Python 3.11 or newer in PATH (${seen.join(', ')})`,
    'Install Python 3.11 or newer (Debian, Ubuntu: apt install python3 python3-venv)',
  );
}

function noEnvironment(python: string, end: ProgramEnd): OperatorError {
  const said = lastWords(end.err, end.out);
  if (/ensurepip|No module named '?venv/.test(said + end.out))
    return missing(`${python} has no module venv`, 'Install it (Debian, Ubuntu: apt install python3-venv)');
  return missing(`${python} -m venv failed: ${said}`, 'Mend that');
}

function noPackages(end: ProgramEnd): OperatorError {
  const said = lastWords(end.err, end.out);
  const all = end.err + end.out;
  if (/DO NOT MATCH THE HASHES/.test(all))
    return missing(
      'a Python package is not the one that was pinned: its hash is another',
      'Do not install it. Ask whoever runs the package index or mirror (PIP_INDEX_URL)',
    );
  if (end.because === 'deadline' || /Could not find a version|No matching distribution|connection|resolve/i.test(all))
    return missing(
      `the Python packages could not be loaded: ${said || 'no answer'}`,
      'Open the way to the package index, or name a mirror with PIP_INDEX_URL',
    );
  return missing(`pip install failed: ${said}`, 'Mend that');
}

function missing(message: string, remedy: string): OperatorError {
  return new OperatorError(message, {
    hint: `${remedy}; or set TIPHYS_ANSIBLE to a Python environment with Ansible, or use the executor image.`,
    exitCode: 3,
  });
}

import { findProgram } from '../../adapters/programs/find-program.ts';
import { runProgram } from '../../adapters/programs/run-program.ts';
import { judgePackages, pythonProbe } from '../../core/preflight/ansible-parts.ts';
import { type Finding, failed, unseen } from '../../core/preflight/finding.ts';
import { pythonOf } from '../../core/preflight/tool-versions.ts';
import type { Check } from '../check.ts';
import type { Surroundings } from '../surroundings.ts';

/** R3.4: the Python that Ansible runs in has what the kubernetes.core modules import. */
export const pythonPackages: Check = {
  id: 'python-packages',
  title: 'Python packages',
  area: 'tools',
  deadlineMs: 60_000,
  stopsBootstrap: false,
  async run({ env }, signal) {
    const python = await pythonOfAnsible(env, signal);
    if (python === undefined)
      return [
        unseen(
          'Python packages',
          'ansible-playbook is missing or does not tell its Python',
          'Mend ansible-playbook first (see Tools).',
        ),
      ];
    const order = { command: python, args: ['-c', pythonProbe], env, deadlineMs: patienceMs, signal };
    const { out, err, code } = await runProgram(order);
    const versions = code === 0 ? parsed(out) : undefined;
    return versions === undefined ? [broken(python, err)] : judgePackages(python, versions);
  },
};

const patienceMs = 25_000;

/** It may live in a virtual environment of its own: only it can say. */
async function pythonOfAnsible(env: Surroundings['env'], signal: AbortSignal): Promise<string | undefined> {
  const command = await findProgram('ansible-playbook', env['PATH']);
  if (command === undefined) return undefined;
  const { out } = await runProgram({ command, args: ['--version'], env, deadlineMs: patienceMs, signal });
  return pythonOf(out);
}

function parsed(out: string): Readonly<Record<string, string>> | undefined {
  try {
    return JSON.parse(out) as Readonly<Record<string, string>>;
  } catch {
    // Something else prints, too; the caller shows what.
    return undefined;
  }
}

function broken(python: string, err: string): Finding {
  const said = err.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return failed(
    'Python',
    `${python} could not be asked for its packages${said === '' ? '' : `: ${said}`}`,
    `Run \`${python} --version\` by hand; Ansible needs Python 3.11 or newer.`,
  );
}

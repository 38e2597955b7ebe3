import { findProgram } from '../../adapters/programs/find-program.ts';
import { runProgram } from '../../adapters/programs/run-program.ts';
import { judgeCollections, type ListedCollections } from '../../core/preflight/ansible-parts.ts';
import { unseen } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';

/** R3.4: the collections that the roles use are there, and new enough. */
export const ansibleCollections: Check = {
  id: 'ansible-collections',
  title: 'Ansible collections',
  area: 'tools',
  deadlineMs: 60_000,
  stopsBootstrap: false,
  async run({ env }, signal) {
    const command = await findProgram('ansible-galaxy', env['PATH']);
    if (command === undefined)
      return [
        unseen(
          'Ansible collections',
          'ansible-galaxy is not in PATH',
          'It comes with Ansible: mend ansible-playbook first (see Tools).',
        ),
      ];
    const args = ['collection', 'list', '--format', 'json'];
    const { out } = await runProgram({ command, args, env, deadlineMs: 50_000, signal });
    // Where there is none at all it complains instead of printing an empty list: then all of them are missing.
    return judgeCollections(parsed(out));
  },
};

/** Warnings may stand before the list. */
function parsed(out: string): ListedCollections {
  try {
    return JSON.parse(out.slice(Math.max(0, out.indexOf('{')))) as ListedCollections;
  } catch {
    return {};
  }
}

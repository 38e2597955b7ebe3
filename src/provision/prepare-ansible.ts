import { join } from 'node:path';
import { findProgram } from '../adapters/programs/find-program.ts';
import { OperatorError } from '../engine/operator-error.ts';
import { type BuildOrder, buildAnsible } from './build-ansible.ts';
import { inspectAnsible } from './inspect-ansible.ts';

export interface AnsibleOrder extends BuildOrder {
  /** A folder that somebody names: a Python environment, or where its programs are. Then no other is tried. */
  readonly named: string | undefined;
}

/** The path of an ansible-playbook that will do: the one that is named, the one in PATH, or one that is made. Exit 3 says what is missing. */
export async function prepareAnsible(order: AnsibleOrder, signal: AbortSignal): Promise<string> {
  if (order.named !== undefined) return named(order, order.named, signal);
  const found = await findProgram('ansible-playbook', order.env['PATH']);
  if (found === undefined) return buildAnsible(order, signal);
  const inspection = await inspectAnsible({ ...order, playbook: found }, signal);
  if (inspection.will) return found;
  order.tell(`Not the Ansible in PATH: ${inspection.because}.`);
  return buildAnsible(order, signal);
}

async function named(order: AnsibleOrder, folder: string, signal: AbortSignal): Promise<string> {
  const playbook = await findProgram('ansible-playbook', `${join(folder, 'bin')}:${folder}`);
  const inspection =
    playbook === undefined
      ? { will: false as const, because: `there is no ansible-playbook in it` }
      : await inspectAnsible({ ...order, playbook }, signal);
  if (playbook !== undefined && inspection.will) return playbook;
  throw new OperatorError(
    `TIPHYS_ANSIBLE names ${folder}, which will not do: ${inspection.will ? '' : inspection.because}`,
    {
      hint: `Fill it with: python3 -m venv ${folder} && ${folder}/bin/pip install --require-hashes -r ${order.requirements}; or unset it.`,
      exitCode: 3,
    },
  );
}

import { join } from 'node:path';
import { findOwnFiles } from '../provision/own-files.ts';
import { prepareAnsible } from '../provision/prepare-ansible.ts';
import { openPrivateFolder } from '../provision/private-folder.ts';
import type { Io } from './io.ts';

/** An ansible-playbook that will do, found or made; exit 3 says what is missing. */
export async function findAnsible(io: Io): Promise<string> {
  const scratch = await openPrivateFolder();
  try {
    const order = {
      named: io.env['TIPHYS_ANSIBLE'] || undefined,
      requirements: join(findOwnFiles().bootstrap, 'requirements.txt'),
      cache: io.env['XDG_CACHE_HOME'] || (io.home === undefined ? undefined : join(io.home, '.cache')),
      env: io.env,
      scratch: scratch.path,
      tell: (sentence: string) => io.err(`${sentence}\n`),
    };
    return await prepareAnsible(order, io.stop);
  } finally {
    await scratch.remove();
  }
}

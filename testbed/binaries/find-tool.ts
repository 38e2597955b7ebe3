import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { TestbedError } from '../cluster/testbed-error.ts';

/** Finds a program that comes from the system, or says which package has it. */
export async function findTool(name: ToolName, env: NodeJS.ProcessEnv): Promise<string> {
  for (const folder of (env['PATH'] ?? '').split(':').filter((each) => each !== '')) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  throw new TestbedError(`${name} is not in PATH`, `on Debian: apt-get install ${packages[name]}`);
}

type ToolName = keyof typeof packages;

const packages = { 'redis-server': 'redis-server', git: 'git', openssl: 'openssl' } as const;

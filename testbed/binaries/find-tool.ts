import { findProgram } from '../../src/adapters/programs/find-program.ts';
import { TestbedError } from '../cluster/testbed-error.ts';

/** Finds a program that comes from the system, or says which package has it. */
export async function findTool(name: ToolName, env: NodeJS.ProcessEnv): Promise<string> {
  const file = await findProgram(name, env['PATH']);
  if (file !== undefined) return file;
  throw new TestbedError(`${name} is not in PATH`, `on Debian: apt-get install ${packages[name]}`);
}

type ToolName = keyof typeof packages;

const packages = { 'redis-server': 'redis-server', git: 'git', openssl: 'openssl' } as const;

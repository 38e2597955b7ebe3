import { tmpdir } from 'node:os';
import { TestbedError } from '../cluster/testbed-error.ts';
import { runGo } from './go-tool.ts';

/** Fetches the sources of one module, without its dependencies, and gives the folder they stand in. */
export async function moduleFolder(module: string, version: string, env: NodeJS.ProcessEnv): Promise<string> {
  const what = `fetching ${module}@v${version}`;
  // Outside of any module, so that nobody's go.mod has a say in it.
  const options = { env, cwd: tmpdir(), what, pausesMs: [3000, 10_000] };
  const printed: unknown = JSON.parse(await runGo(['mod', 'download', '-json', `${module}@v${version}`], options));
  if (typeof printed === 'object' && printed !== null && 'Dir' in printed && typeof printed.Dir === 'string') {
    return printed.Dir;
  }
  throw new TestbedError(`${what}: "go mod download" names no folder`, 'try a newer Go');
}

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with the wrapper modules, found from wherever this code runs: its own file, or a bundle below node_modules. */
export function buildFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const build = join(folder, 'testbed', 'build');
    if (existsSync(build)) return build;
  }
  throw new Error('there is no folder testbed/build above this program');
}

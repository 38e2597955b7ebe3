import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../engine/operator-error.ts';

/** What belongs to this release and is not in the bundle. */
export interface OwnFiles {
  /** The folder of the playbook. */
  readonly bootstrap: string;
  /** Our own chart. */
  readonly chart: string;
  readonly healthChecks: string;
}

/** Finds them above the running file: from source, from the bundle in dist/ and in the image they lie in the same order. */
export function findOwnFiles(from: string = fileURLToPath(import.meta.url)): OwnFiles {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'bootstrap', 'site.yml')))
      return {
        bootstrap: join(folder, 'bootstrap'),
        chart: join(folder, 'charts', 'tiphys'),
        healthChecks: join(folder, 'src', 'core', 'health', 'lua'),
      };
    if (folder === dirname(folder)) break;
  }
  throw new OperatorError('the playbooks of this release are not there: no bootstrap/site.yml above the program', {
    hint: 'Install Tiphys with its folders bootstrap, charts and src/core/health/lua, or use the executor image.',
    exitCode: 3,
  });
}

import { join } from 'node:path';
import { run } from './run.ts';

/** Compiles Python files ahead: the root file system cannot be written to, and the Kubernetes client alone takes seconds to compile. */
export async function compileBytecode(folder: string, paths: readonly string[]): Promise<void> {
  // By the hash of the source and not by its time, which is the same for all files of an image.
  const words = ['-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', folder, '-p', '/'];
  // Exit code 1 means that some file did not compile: collections bring templates and files for Pythons of the past.
  const script = 'python3 "$@" >/dev/null; [ $? -le 1 ]';
  const targets = paths.map((path) => join(folder, path));
  await run('sh', ['-c', script, 'compile', ...words, ...targets], { env: { PYTHONHASHSEED: '0' } });
}

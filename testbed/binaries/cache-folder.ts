import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where everything is kept that can be made again. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'];
  // The convention says that a relative path there is to be ignored.
  const cache = base?.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.cache');
  return join(cache, 'tiphys', 'testbed');
}

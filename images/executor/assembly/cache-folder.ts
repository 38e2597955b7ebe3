import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloads and builds are kept for the next time. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'];
  // The convention says that a relative path there is to be ignored.
  return join(base?.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.cache'), 'tiphys/image');
}

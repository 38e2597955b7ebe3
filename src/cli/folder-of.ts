import type { Invocation } from './invocation.ts';

/** Without a folder the current one is meant, in the container `/config`. */
export function folderOf({ args, isExecutor }: Invocation, position = 0): string {
  return args[position] ?? (isExecutor ? '/config' : '.');
}

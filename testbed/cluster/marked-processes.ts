import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lookAt } from './processes.ts';
import type { StartedProcess } from './state.ts';

const variable = 'TIPHYS_TESTBED_PROCESS';

/** Given to everything that a testbed starts: whoever is killed before it could write a pid down leaves this behind. */
export function markOf(folder: string, component: string): Record<string, string> {
  return { [variable]: `${folder}#${component}` };
}

export interface MarkedProcess extends StartedProcess {
  readonly component: string;
}

/** What runs under a mark of this testbed. What those have started themselves, such as a repo-server's git, ends with them. */
export function markedProcesses(folder: string): MarkedProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const component = componentOf(entry, folder);
      const seen = component === undefined ? undefined : lookAt(Number(entry));
      if (component === undefined || seen?.group !== Number(entry)) return [];
      return [{ component, pid: Number(entry), startedAt: seen.startedAt }];
    });
}

/** undefined for strangers, also for those that we may not look at or that end in this moment. */
function componentOf(pid: string, folder: string): string | undefined {
  try {
    const mark = `${variable}=${folder}#`;
    const marked = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((entry) => entry.startsWith(mark));
    if (marked !== undefined) return marked.slice(mark.length);
    return isTitledRedis(pid, folder) ? 'redis' : undefined;
  } catch {
    return undefined;
  }
}

/** Redis writes its title over its environment. */
function isTitledRedis(pid: string, folder: string): boolean {
  return (
    readlinkSync(`/proc/${pid}/cwd`) === folder &&
    /^(\S*\/)?redis-server 127\.0\.0\.1:/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  );
}

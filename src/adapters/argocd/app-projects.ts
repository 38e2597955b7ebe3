import type { HeldProject } from '../../engine/ports.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { heldIn, windowsOf, withHold } from './hold-window.ts';

interface NamedObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

export interface AppProjects {
  list(signal: AbortSignal): Promise<readonly HeldProject[]>;
  setHold(
    project: string,
    applications: readonly string[],
    signal: AbortSignal,
  ): Promise<'changed' | 'unchanged' | 'missing'>;
}

/** AppProjects and our window in them. */
export function createAppProjects(client: KubeClient, namespace: string, platform: string): AppProjects {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects`;

  /** One read and one compare-and-swap; `retry` when somebody else wrote in between. */
  async function tryHold(project: string, applications: readonly string[], signal: AbortSignal) {
    const found = await client.get<NamedObject>(`${path}/${project}`, signal);
    if (found === undefined) return 'missing';
    const windows = windowsOf(found);
    if (sameNames(heldIn(windows, platform), applications)) return 'unchanged';
    const { resourceVersion } = found.metadata;
    const body = { metadata: { resourceVersion }, spec: { syncWindows: withHold(windows, platform, applications) } };
    try {
      await client.mergePatch(`${path}/${project}`, body, signal);
      return 'changed';
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return 'retry';
      throw error;
    }
  }

  return {
    async list(signal) {
      const { items } = await client.list<NamedObject>(path, {}, signal);
      return items.map((item) => ({ name: item.metadata.name, held: heldIn(windowsOf(item), platform) }));
    },
    async setHold(project, applications, signal) {
      for (;;) {
        const answer = await tryHold(project, applications, signal);
        // Read again, keep theirs, add ours.
        if (answer !== 'retry') return answer;
      }
    },
  };
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return [...a].sort().join('\n') === [...b].sort().join('\n');
}

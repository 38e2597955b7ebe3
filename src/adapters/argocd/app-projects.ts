import { splitApplication } from '../../core/platform/application-name.ts';
import type { HeldProject } from '../../engine/ports.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import { type ApplicationViewOptions, watchOptions } from './application-watches.ts';
import { heldIn, windowsOf, withHold } from './hold-window.ts';

interface NamedObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

export interface AppProjects {
  list(signal: AbortSignal): Promise<readonly HeldProject[]>;
  /** Resolves when they are so, as a watch shows them; the first question begins it. */
  until(isSo: (projects: readonly HeldProject[]) => boolean, signal: AbortSignal): Promise<void>;
  setHold(
    project: string,
    applications: readonly string[],
    signal: AbortSignal,
  ): Promise<'changed' | 'unchanged' | 'missing'>;
}

export interface AppProjectsOptions extends ApplicationViewOptions {
  readonly platform: string;
  readonly elsewhere: readonly string[];
}

/** AppProjects and our window in them. */
export function createAppProjects(options: AppProjectsOptions): AppProjects {
  const { client, namespace, platform, elsewhere } = options;
  let reflector: Reflector<NamedObject> | undefined;
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects`;

  // A window knows Applications by their bare names, whatever their namespace.
  const qualified = new Map(elsewhere.map((application) => [splitApplication(application).name, application]));
  const heldBy = (project: unknown): string[] =>
    heldIn(windowsOf(project), platform).map((name) => qualified.get(name) ?? name);

  /** One read and one compare-and-swap; `retry` when somebody else wrote in between. */
  async function tryHold(project: string, applications: readonly string[], signal: AbortSignal) {
    const found = await client.get<NamedObject>(`${path}/${project}`, signal);
    if (found === undefined) return 'missing';
    if (sameNames(heldBy(found), applications)) return 'unchanged';
    const bare = applications.map((application) => splitApplication(application).name);
    const { resourceVersion } = found.metadata;
    const body = { metadata: { resourceVersion }, spec: { syncWindows: withHold(windowsOf(found), platform, bare) } };
    try {
      await client.mergePatch(`${path}/${project}`, body, signal);
      return 'changed';
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return 'retry';
      throw error;
    }
  }

  const seen = (project: NamedObject): HeldProject => ({ name: project.metadata.name, held: heldBy(project) });

  return {
    async list(signal) {
      const { items } = await client.list<NamedObject>(path, {}, signal);
      return items.map(seen);
    },
    async until(isSo, signal) {
      reflector ??= createReflector<NamedObject>(client, watchOptions(options, path), options.signal);
      const watched = reflector;
      await watched.waitFor(() => (watched.hasWatched && isSo(watched.all().map(seen))) || undefined, { signal });
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

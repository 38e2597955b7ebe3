import type { ObservedApplication } from '../../core/plan/observed.ts';
import { splitApplication } from '../../core/platform/application-name.ts';
import type { Clock } from '../../engine/ports.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import { createChangeBell } from './change-bell.ts';
import type { RawApplication } from './operation-patch.ts';
import { parseApplication } from './parse-application.ts';

export interface ApplicationViewOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Argo CD's own. */
  readonly namespace: string;
  /** Others in which the platform has Applications. */
  readonly otherNamespaces?: Iterable<string>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly onTrouble?: (sentence: string) => void;
  readonly random?: () => number;
}

/** The Applications as one watch shows them, and as our own writes have left them. */
export interface ApplicationView {
  readonly isWatching: () => boolean;
  ready(signal: AbortSignal): Promise<void>;
  names(): readonly string[];
  /** As the API server sent it. */
  raw(name: string): RawApplication | undefined;
  application(name: string): ObservedApplication | undefined;
  changed(name: string, until: number, signal: AbortSignal): Promise<void>;
  patch(name: string, body: object, signal: AbortSignal): Promise<'done' | 'conflict' | 'missing'>;
}

/** How long a watch may lag behind a write of ours. */
const overdueMs = 1_500;
/** API servers send a bookmark about once a minute. */
const idleTimeoutMs = 100_000;

export function createApplicationView(options: ApplicationViewOptions): ApplicationView {
  const { client, clock, namespace } = options;
  const namespaces = [...new Set([namespace, ...(options.otherNamespaces ?? [])])];
  const bell = createChangeBell(clock);
  const written = new Map<string, { readonly object: RawApplication; readonly at: number }>();
  let reflectors: ReadonlyMap<string, Reflector<RawApplication>> | undefined;

  function watches(): ReadonlyMap<string, Reflector<RawApplication>> {
    reflectors ??= new Map(namespaces.map((each) => [each, startWatch(options, each, bell)]));
    return reflectors;
  }

  function watchOf(application: string): Reflector<RawApplication> | undefined {
    return watches().get(splitApplication(application).namespace ?? namespace);
  }

  function watchedObject(application: string): RawApplication | undefined {
    const at = splitApplication(application);
    return watchOf(application)?.get(`${at.namespace ?? namespace}/${at.name}`);
  }

  /** Our own writes are seen at once: what the API server answered stands until the watch has caught up with it. */
  function raw(name: string): RawApplication | undefined {
    const watched = watchedObject(name);
    const own = written.get(name)?.object;
    if (own === undefined || watched === undefined) return watched;
    if (newer(own, watched)) return own;
    written.delete(name);
    return watched;
  }

  /** Our own write is a probe of the watch: what it has not shown for so long it will not show any more. */
  function doubtASilentWatch(name: string): void {
    const own = written.get(name);
    if (own === undefined || clock.now() - own.at < overdueMs) return;
    const watched = watchedObject(name);
    if (watched !== undefined && newer(own.object, watched)) watchOf(name)?.doubt();
  }

  return {
    isWatching: () => reflectors !== undefined,
    async ready(signal) {
      await Promise.all([...watches().values()].map((each) => each.ready(signal)));
    },
    names: () =>
      [...watches()].flatMap(([each, watch]) =>
        watch.all().map(({ metadata }) => (each === namespace ? metadata.name : `${each}/${metadata.name}`)),
      ),
    raw,
    application(name) {
      const object = raw(name);
      if (object === undefined) return undefined;
      const parsed = parseApplication(object);
      return parsed.name === name ? parsed : elsewhere(parsed, name);
    },
    changed: bell.changed,
    async patch(name, body, signal) {
      doubtASilentWatch(name);
      try {
        // All our patches are compare-and-swap, or set annotations to the same value again.
        const object = await client.mergePatch<RawApplication>(applicationPath(namespace, name), body, signal, {
          repeatable: true,
        });
        written.set(name, { object, at: clock.now() });
        return 'done';
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return 'missing';
        if (error instanceof ApiError && error.status === 409) return 'conflict';
        throw error;
      }
    },
  };
}

/** Outside of Argo CD's namespace everything is named with its namespace. */
function elsewhere(parsed: ObservedApplication, name: string): ObservedApplication {
  const { namespace } = splitApplication(name);
  const madeBy = parsed.madeBy === undefined ? undefined : `${namespace}/${parsed.madeBy}`;
  return { ...parsed, name, madeBy };
}

/** Where the API server has an Application. */
export function applicationPath(argocdNamespace: string, application: string): string {
  const { namespace = argocdNamespace, name } = splitApplication(application);
  return `${collection(namespace)}/${name}`;
}

function collection(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
}

function startWatch(
  options: ApplicationViewOptions,
  namespace: string,
  bell: ReturnType<typeof createChangeBell>,
): Reflector<RawApplication> {
  const { client, clock, signal, onTrouble, random } = options;
  const path = collection(namespace);
  const more = { ...(onTrouble === undefined ? {} : { onTrouble }), ...(random === undefined ? {} : { random }) };
  const reflector = createReflector<RawApplication>(client, { path, clock, idleTimeoutMs, ...more }, signal);
  reflector.subscribe((change) => {
    if (change.type === 'resync') bell.ringAll();
    else bell.ring(namespace === options.namespace ? splitApplication(change.key).name : change.key);
  });
  return reflector;
}

/** resourceVersions of one object are numbers that rise. */
function newer(a: RawApplication, b: RawApplication): boolean {
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}

import { splitApplication } from '../../core/platform/application-name.ts';
import type { Clock } from '../../engine/ports.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import type { ReflectorOptions } from '../kubernetes/follow.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import type { ChangeBell } from './change-bell.ts';
import type { RawApplication } from './operation-patch.ts';

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

/** A watch on the Applications of each namespace that matters, begun by the first question. */
export interface ApplicationWatches {
  readonly isWatching: () => boolean;
  ready(signal: AbortSignal): Promise<void>;
  names(): readonly string[];
  get(application: string): RawApplication | undefined;
  /** For a caller who knows of a change that the watch has not shown. */
  doubt(application: string): void;
  /** Throws what the API server said when it refused to show changes any more. */
  mustBeAllowed(): void;
}

/** API servers send a bookmark about once a minute. */
const idleTimeoutMs = 100_000;

export function createApplicationWatches(options: ApplicationViewOptions, bell: ChangeBell): ApplicationWatches {
  const { namespace } = options;
  const namespaces = [...new Set([namespace, ...(options.otherNamespaces ?? [])])];
  let reflectors: ReadonlyMap<string, Reflector<RawApplication>> | undefined;
  let refusal: ApiError | undefined;

  /** Whoever waits for a change must hear that none will ever be shown. */
  function refused(error: ApiError): void {
    refusal = error;
    bell.ringAll();
  }

  function watches(): ReadonlyMap<string, Reflector<RawApplication>> {
    reflectors ??= new Map(namespaces.map((each) => [each, startWatch(options, each, { bell, refused })]));
    return reflectors;
  }

  function watchOf(application: string): Reflector<RawApplication> | undefined {
    return watches().get(splitApplication(application).namespace ?? namespace);
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
    get(application) {
      const at = splitApplication(application);
      return watchOf(application)?.get(`${at.namespace ?? namespace}/${at.name}`);
    },
    doubt: (application) => watchOf(application)?.doubt(),
    mustBeAllowed() {
      if (refusal !== undefined) throw refusal;
    },
  };
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
  { bell, refused }: { readonly bell: ChangeBell; readonly refused: (error: ApiError) => void },
): Reflector<RawApplication> {
  const { client, signal } = options;
  const reflector = createReflector<RawApplication>(client, watchOptions(options, collection(namespace)), signal);
  reflector.subscribe((change) => {
    if (change.type === 'resync') bell.ringAll();
    else bell.ring(namespace === options.namespace ? splitApplication(change.key).name : change.key);
  });
  const never = (): undefined => undefined;
  reflector.waitFor(never, { signal }).catch((error: unknown) => {
    if (error instanceof ApiError) refused(error);
  });
  return reflector;
}

/** How a collection of Argo CD's is watched. */
export function watchOptions({ clock, onTrouble, random }: ApplicationViewOptions, path: string): ReflectorOptions {
  const more = { ...(onTrouble === undefined ? {} : { onTrouble }), ...(random === undefined ? {} : { random }) };
  return { path, clock, idleTimeoutMs, ...more };
}

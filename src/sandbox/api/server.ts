import type { ResourceType } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import type { ApiRequest } from './handler.ts';
import type { Identity } from './identities.ts';
import type { RequestInfo, ResourcePath } from './request-info.ts';
import type { WatchHub } from './watch-hub.ts';

export type ServiceProxy = (
  namespace: string,
  service: string,
  port: string,
  path: string,
) => { status: number; body: string } | undefined;

/** What every handler of one API server shares. */
export interface Server {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly time: SandboxTime;
  readonly hub: WatchHub;
  readonly serviceProxy: ServiceProxy | undefined;
  /** The same for every run: what would be random in a real cluster. */
  readonly nextSuffix: () => string;
}

/** One request to a resource that exists, by somebody who may. */
export interface Call {
  readonly server: Server;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly path: ResourcePath;
  readonly type: ResourceType;
  readonly user: Identity;
}

/** The namespace of the objects meant; cluster-scoped kinds have none even where the path has one. */
export function namespaceOf(call: Pick<Call, 'path' | 'type'>): string | undefined {
  return call.type.namespaced ? call.path.namespace : undefined;
}

/** Five characters as Kubernetes appends them to generateName, from a sequence instead of chance. */
export function suffixes(): () => string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  let state = 1;
  return () => {
    let made = '';
    for (let index = 0; index < 5; index++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      made += alphabet[(state >>> 8) % alphabet.length];
    }
    return made;
  };
}

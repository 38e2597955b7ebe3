import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Store } from '../store/store.ts';
import { isReady } from './readiness.ts';
import type { World } from './world.ts';

/** Whether an Application's objects are really there and ready, judged from the objects alone. */
export interface Truth {
  readonly healthy: boolean;
  readonly why: string;
}

interface Source {
  readonly path?: string;
  readonly targetRevision?: string;
}

/** Looks at what Git wants for the Application now, and at nothing that Argo CD has written. */
export function judge(
  {
    store,
    world,
    typeOf,
    argocdNamespace,
    vaultState,
  }: {
    store: Store;
    world: World;
    typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
    argocdNamespace: string;
    vaultState: (application: string) => string;
  },
  application: string,
): Truth {
  const type = typeOf('argoproj.io/v1alpha1', 'Application');
  const found = type === undefined ? undefined : store.get(type, argocdNamespace, application);
  if (found === undefined) return { healthy: false, why: 'its Application is not there' };
  const spec = found['spec'] as { source?: Source; destination?: { namespace?: string } };
  const content = world.git.read(spec.source?.path ?? '', world.git.head);
  if ('error' in content) return { healthy: false, why: content.error };
  const app = world.appOf(application);
  if (content.objects.length === 0 && app?.mayBeEmpty !== true)
    return { healthy: false, why: 'Git holds nothing for it' };
  for (const wanted of content.objects) {
    if (wanted.metadata.annotations?.['argocd.argoproj.io/hook'] !== undefined) continue;
    const why = flaw(liveObject({ store, typeOf }, wanted, spec.destination?.namespace), wanted);
    if (why !== undefined) return { healthy: false, why };
  }
  const state = app?.type === 'vault' ? vaultState(application) : 'active';
  return state === 'active'
    ? { healthy: true, why: 'everything is there and ready' }
    : { healthy: false, why: `Vault is ${state}` };
}

function liveObject(
  { store, typeOf }: { store: Store; typeOf: (apiVersion: string, kind: string) => ResourceType | undefined },
  wanted: KubeObject,
  namespace: string | undefined,
): KubeObject | undefined {
  const type = typeOf(wanted.apiVersion, wanted.kind);
  if (type === undefined) return undefined;
  return store.get(type, type.namespaced ? (wanted.metadata.namespace ?? namespace) : undefined, wanted.metadata.name);
}

function flaw(live: KubeObject | undefined, wanted: KubeObject): string | undefined {
  const which = `${wanted.kind} ${wanted.metadata.name}`;
  if (live === undefined) return `${which} is missing`;
  if (live.metadata.deletionTimestamp !== undefined) return `${which} is being deleted`;
  return isReady(live) ? undefined : `${which} is not ready`;
}

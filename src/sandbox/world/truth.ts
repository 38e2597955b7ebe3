import { splitApplication } from '../../core/platform/application-name.ts';
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

export interface TruthWorld {
  readonly store: Store;
  readonly world: World;
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly argocdNamespace: string;
  readonly vaultState: (application: string) => string;
}

/** Looks at what Git wants for the Application now, and at nothing that Argo CD has written. */
export function judge(cluster: TruthWorld, application: string): Truth {
  const why = flawOf(cluster, application);
  return why === undefined ? { healthy: true, why: 'everything is there and ready' } : { healthy: false, why };
}

function flawOf(cluster: TruthWorld, application: string): string | undefined {
  const { store, world, typeOf, argocdNamespace } = cluster;
  const type = typeOf('argoproj.io/v1alpha1', 'Application');
  const { namespace = argocdNamespace, name } = splitApplication(application);
  const found = type === undefined ? undefined : store.get(type, namespace, name);
  if (found === undefined) return 'its Application is not there';
  const spec = found['spec'] as { source?: Source; destination?: { namespace?: string } };
  const content = world.git.read(spec.source?.path ?? '', world.git.head);
  if ('error' in content) return content.error;
  return contentFlaw(cluster, content.objects, spec.destination?.namespace) ?? appFlaw(cluster, application, content);
}

function contentFlaw(
  cluster: TruthWorld,
  objects: readonly KubeObject[],
  namespace: string | undefined,
): string | undefined {
  for (const wanted of objects) {
    if (wanted.metadata.annotations?.['argocd.argoproj.io/hook'] !== undefined) continue;
    const why = flaw(liveObject(cluster, wanted, namespace), wanted);
    if (why !== undefined) return why;
  }
  return undefined;
}

function appFlaw(
  { world, vaultState }: TruthWorld,
  application: string,
  content: { objects: readonly KubeObject[] },
): string | undefined {
  const app = world.appOf(application);
  if (content.objects.length === 0 && app?.mayBeEmpty !== true) return 'Git holds nothing for it';
  const state = app?.type === 'vault' ? vaultState(application) : 'active';
  return state === 'active' ? undefined : `Vault is ${state}`;
}

function liveObject(
  { store, typeOf }: TruthWorld,
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

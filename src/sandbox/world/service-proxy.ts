import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Store } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import { isReady } from './readiness.ts';
import { type VaultState, vaultAnswer, vaultStateOf } from './vault.ts';
import type { World } from './world.ts';

export interface ServiceAnswers {
  /** What the workload behind a Service answers; undefined when there is no such Service. */
  answer(namespace: string, service: string, port: string, path: string): { status: number; body: string } | undefined;
  vaultState(application: string): VaultState;
}

/** Answers for the workloads behind Services, as far as somebody probes them. */
export function createServiceProxy({
  store,
  time,
  world,
  typeOf,
}: {
  store: Store;
  time: SandboxTime;
  world: World;
  typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
}): ServiceAnswers {
  const readySince = new Map<string, number>();
  store.subscribe(({ object, type, at }) => {
    if (object.kind !== 'StatefulSet') return;
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    if (type === 'DELETED' || !isReady(object)) readySince.delete(key);
    else if (!readySince.has(key)) readySince.set(key, at);
  });

  function find(kind: string, namespace: string, name: string): KubeObject | undefined {
    const type = typeOf(kind === 'Service' ? 'v1' : 'apps/v1', kind);
    return type === undefined ? undefined : store.get(type, namespace, name);
  }

  function vaultState(application: string): VaultState {
    const app = world.appOf(application);
    return vaultStateOf({ world, time }, application, readySince.get(`${app?.name}/${app?.name}`));
  }

  function answer(namespace: string, service: string, _port: string, path: string) {
    if (find('Service', namespace, service) === undefined) return undefined;
    const app = world.platform?.apps.get(namespace);
    if (app?.type === 'vault' && path.replace(/^\//, '').startsWith('v1/sys/health')) {
      return vaultAnswer(vaultState(app.application));
    }
    const workload = find('Deployment', namespace, service) ?? find('StatefulSet', namespace, service);
    return workload !== undefined && isReady(workload) ? { status: 200, body: 'ok' } : undefined;
  }

  return { answer, vaultState };
}

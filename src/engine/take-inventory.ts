import type { ResourceRef } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import { partResources } from '../core/plan/plan-deploy.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { Part, Platform } from '../core/platform/platform.ts';
import { markedNamespaces } from './platform-namespaces.ts';
import type { LiveObject, World } from './ports.ts';

/** What the platform has in the cluster before anything is removed: what is left afterwards is compared with this. */
export interface Inventory {
  /** Node → the objects its Application manages; for a part, the objects of that part. */
  readonly objects: ReadonlyMap<string, readonly ResourceRef[]>;
  /** Namespaces of the apps that go, and of those that went before; apart from the cluster's own and Argo CD's. */
  readonly namespaces: readonly string[];
  readonly claims: readonly LiveObject[];
  readonly volumes: readonly LiveObject[];
}

export async function takeInventory(
  world: World,
  platform: Platform,
  plan: Plan,
  signal: AbortSignal,
): Promise<Inventory> {
  const objects = new Map<string, readonly ResourceRef[]>();
  const namespaces = new Set<string>();
  for (const step of plan.steps) {
    if (step.action !== 'delete') continue;
    const seen = world.argocd.application(step.application);
    const managed = (seen?.resources ?? []).filter((object) => !object.hook);
    const part = partOf(step.node);
    const app = platform.apps.get(appOf(step.node));
    objects.set(step.node, part === undefined ? managed : partResources(app?.parts.get(part) as Part, managed));
    for (const name of [seen?.destinationNamespace, ...managed.map((object) => object.namespace)]) {
      if (name !== undefined && !isProtected(name, platform.environment.argocdNamespace)) namespaces.add(name);
    }
  }
  for (const name of await markedNamespaces(world, platform.name, signal)) namespaces.add(name);
  const claims = await world.objects.list({ group: '', kind: 'PersistentVolumeClaim' }, undefined, signal);
  const volumes = await world.objects.list({ group: '', kind: 'PersistentVolume' }, undefined, signal);
  return {
    objects,
    namespaces: [...namespaces].sort(),
    claims: claims.filter((claim) => namespaces.has(claim.metadata.namespace ?? '')),
    volumes: volumes.filter((volume) => namespaces.has(claimOf(volume)?.namespace ?? '')),
  };
}

/** The claim a PersistentVolume is bound to. */
export function claimOf(volume: LiveObject): { readonly namespace: string; readonly name: string } | undefined {
  const spec = volume['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined;
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function isProtected(namespace: string, argocdNamespace: string): boolean {
  return namespace === 'default' || namespace.startsWith('kube-') || namespace === argocdNamespace;
}

import type { Observed, ResourceRef } from '../core/plan/observed.ts';
import type { Plan, Step } from '../core/plan/plan.ts';
import { partResources } from '../core/plan/plan-deploy.ts';
import { applicationNamespaces } from '../core/platform/application-name.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { Part, Platform } from '../core/platform/platform.ts';
import { type BootstrapMark, readBootstrapMark } from './bootstrap-mark.ts';
import { isInUse, markedNamespaces } from './platform-namespaces.ts';
import type { LiveObject, World } from './ports.ts';

/** What the platform has in the cluster before anything is removed: what is left afterwards is compared with this. */
export interface Inventory {
  /** Node → the objects its Application manages; for a part, the objects of that part. */
  readonly objects: ReadonlyMap<string, readonly ResourceRef[]>;
  /** Namespaces of the apps that go, and of those that went before; apart from the cluster's own and Argo CD's. */
  readonly namespaces: readonly string[];
  readonly claims: readonly LiveObject[];
  readonly volumes: readonly LiveObject[];
  /** The cluster was bootstrapped by us: what was installed then stays, and the next deploy brings the root back. */
  readonly isBootstrapped: boolean;
}

export async function takeInventory(
  world: World,
  platform: Platform,
  plan: Plan,
  signal: AbortSignal,
): Promise<Inventory> {
  const going = plan.steps.filter((step) => step.action === 'delete');
  const objects = new Map(going.map((step) => [step.node, objectsOf(world, platform, step)]));
  const marked = await markedNamespaces(world, platform.name, signal);
  const mark = await readBootstrapMark(world, platform, signal);
  const homes = homesOfOthers(platform, mark);
  const all = [...going.flatMap((step) => namespacesOf(world, step)), ...marked];
  const namespaces = new Set(all.filter((name) => !isProtected(name, homes)));
  // Where something else lives too, nobody can say whose a volume is: it is left as it is.
  const staying = await othersThan(world, going, signal);
  const ours = new Set([...namespaces].filter((name) => !isInUse(name, staying)));
  const claims = await world.objects.list({ group: '', kind: 'PersistentVolumeClaim' }, undefined, signal);
  const volumes = await world.objects.list({ group: '', kind: 'PersistentVolume' }, undefined, signal);
  return {
    objects,
    namespaces: [...namespaces].sort(),
    claims: claims.filter((claim) => ours.has(claim.metadata.namespace ?? '')),
    volumes: volumes.filter((volume) => ours.has(claimOf(volume)?.namespace ?? '')),
    isBootstrapped: mark !== undefined,
  };
}

/** The Applications that are not removed now. */
async function othersThan(
  world: World,
  going: readonly Step[],
  signal: AbortSignal,
): Promise<Pick<Observed, 'applications'>> {
  const gone = new Set(going.map((step) => step.application));
  const { applications } = await world.argocd.observe(signal);
  return { applications: new Map([...applications].filter(([name]) => !gone.has(name))) };
}

function objectsOf(world: World, platform: Platform, step: Step): readonly ResourceRef[] {
  const managed = managedBy(world, step);
  const part = partOf(step.node);
  const app = platform.apps.get(appOf(step.node));
  return part === undefined ? managed : partResources(app?.parts.get(part) as Part, managed);
}

function managedBy(world: World, step: Step): readonly ResourceRef[] {
  return (world.argocd.application(step.application)?.resources ?? []).filter((object) => !object.hook);
}

/** Where the app lives. */
function namespacesOf(world: World, step: Step): string[] {
  const own = world.argocd.application(step.application)?.destinationNamespace;
  return [own, ...managedBy(world, step).map((object) => object.namespace)].filter((name) => name !== undefined);
}

/**
 * Never ours to remove: namespaces of Argo CD, and on a cluster that we have bootstrapped those of all that was installed then.
 * An app may live beside it, as Sealed Secrets does that manages itself; the keys in there are not the app's.
 */
function homesOfOthers(platform: Platform, mark: BootstrapMark | undefined): ReadonlySet<string> {
  return new Set([platform.environment.argocdNamespace, ...applicationNamespaces(platform), ...(mark?.homes ?? [])]);
}

/** The claim a PersistentVolume is bound to. */
function claimOf(volume: LiveObject): { readonly namespace: string; readonly name: string } | undefined {
  const spec = volume['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined;
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function isProtected(namespace: string, homes: ReadonlySet<string>): boolean {
  return namespace === 'default' || namespace.startsWith('kube-') || homes.has(namespace);
}

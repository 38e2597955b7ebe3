import type { Observed, ResourceRef } from '../core/plan/observed.ts';
import type { Plan, Step } from '../core/plan/plan.ts';
import { partResources } from '../core/plan/plan-deploy.ts';
import { isKept } from '../core/plan/plan-teardown.ts';
import { applicationNamespaces } from '../core/platform/application-name.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { Part, Platform } from '../core/platform/platform.ts';
import { type BootstrapMark, readBootstrapMark } from './bootstrap-mark.ts';
import { goingAlong } from './going-along.ts';
import { allNamespaces, isInUse, isNamespace, markedNamespaces } from './platform-namespaces.ts';
import type { World } from './ports.ts';
import { keptByGit } from './spare.ts';
import { type Storage, takeStorage } from './take-storage.ts';

/** What the platform has in the cluster before anything is removed: what is left afterwards is compared with this. */
export interface Inventory extends Storage {
  /** Node → the objects its Application manages; for a part, also one that is kept, the objects of that part. */
  readonly objects: ReadonlyMap<string, readonly ResourceRef[]>;
  /** Namespaces of the apps that go, and of those that went before; apart from the cluster's own and Argo CD's. */
  readonly namespaces: readonly string[];
  /** The cluster was bootstrapped by us: what was installed then stays, and the next deploy brings the root back. */
  readonly isBootstrapped: boolean;
}

export interface InventoryOrder {
  readonly platform: Platform;
  readonly plan: Plan;
  /** Parents that go when all apps have gone. */
  readonly parents: readonly string[];
}

export async function takeInventory(
  world: World,
  { platform, plan, parents }: InventoryOrder,
  signal: AbortSignal,
): Promise<Inventory> {
  const going = plan.steps.filter((step) => step.action === 'delete');
  // A part that is kept has to be told so when its app goes.
  const keptParts = plan.steps.filter((step) => isKept(step.reason) && partOf(step.node) !== undefined);
  const objects = new Map([...going, ...keptParts].map((step) => [step.node, objectsOf(world, platform, step)]));
  const marked = await markedNamespaces(world, platform.name, signal);
  const mark = await readBootstrapMark(world, platform, signal);
  const homes = homesOfOthers(platform, mark);
  const cascade = goingAlong(
    world,
    platform,
    going.map((step) => step.application),
  );
  const brought = parents.flatMap((parent) => namespacesIn(world.argocd.application(parent)?.resources ?? []));
  const touched = new Set([...cascade.flatMap((name) => namespacesOf(world, name)), ...brought, ...marked]);
  const namespaces = [...touched].filter((name) => !isProtected(name, homes)).sort();
  const staying = await othersThan(world, [...cascade, ...parents], signal);
  // In a namespace that Git says to keep stays what nobody manages.
  const lasting = (await allNamespaces(world, signal)).filter((live) => keptByGit(live) !== undefined);
  const ours = new Set(namespaces.filter((name) => !isInUse(name, staying)));
  for (const { metadata } of lasting) ours.delete(metadata.name);
  const managed = cascade.flatMap((name) => managedBy(world, name));
  return {
    objects,
    namespaces,
    ...(await takeStorage(world, { touched, ours, managed, staying }, signal)),
    isBootstrapped: mark !== undefined,
  };
}

/** The Applications that are not removed now. */
async function othersThan(
  world: World,
  going: readonly string[],
  signal: AbortSignal,
): Promise<Pick<Observed, 'applications'>> {
  const gone = new Set(going);
  const { applications } = await world.argocd.observe(signal);
  return { applications: new Map([...applications].filter(([name]) => !gone.has(name))) };
}

function objectsOf(world: World, platform: Platform, step: Step): readonly ResourceRef[] {
  const managed = managedBy(world, step.application);
  const part = partOf(step.node);
  const app = platform.apps.get(appOf(step.node));
  return part === undefined ? managed : partResources(app?.parts.get(part) as Part, managed);
}

function managedBy(world: World, application: string): readonly ResourceRef[] {
  return (world.argocd.application(application)?.resources ?? []).filter((object) => !object.hook);
}

/** Where the app lives, and the namespaces that Git says it brings. */
function namespacesOf(world: World, application: string): string[] {
  const own = world.argocd.application(application)?.destinationNamespace;
  const managed = managedBy(world, application);
  const lived = [own, ...managed.map((object) => object.namespace)].filter((name) => name !== undefined);
  return [...lived, ...namespacesIn(managed)];
}

function namespacesIn(objects: readonly ResourceRef[]): string[] {
  return objects.filter(isNamespace).map(({ name }) => name);
}

/**
 * Never ours to remove: namespaces of Argo CD, and on a cluster that we have bootstrapped those of all that was installed then.
 * An app may live beside it, as Sealed Secrets does that manages itself; the keys in there are not the app's.
 */
function homesOfOthers(platform: Platform, mark: BootstrapMark | undefined): ReadonlySet<string> {
  return new Set([platform.environment.argocdNamespace, ...applicationNamespaces(platform), ...(mark?.homes ?? [])]);
}

function isProtected(namespace: string, homes: ReadonlySet<string>): boolean {
  return namespace === 'default' || namespace.startsWith('kube-') || homes.has(namespace);
}

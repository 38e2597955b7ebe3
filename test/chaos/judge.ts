import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { applicationRecords } from '../../testbed/audit/application-records.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { deletionOrder } from '../../testbed/audit/deletion-order.ts';
import { clusterSnapshot } from '../real/cluster-snapshot.ts';
import type { ChaosBed } from './chaos-bed.ts';

/** INV-1 and its reverse in everything the API server has recorded since then, however many runs that were: what is wrong, a sentence each. */
export async function wrongOrder({ audit, platform }: ChaosBed, since: number): Promise<string[]> {
  const entries = await audit(since);
  const early = brokenEdges(platform, entries).map(
    ({ node, need, object, because }) => `${object} of ${node} came before ${need}: ${because}`,
  );
  return [...early, ...deletionOrder(platform, entries).wrong];
}

/** R2.3: what a run had brought to its end is not synced again by the one that continues it. */
export async function redone({ audit, platform: { apps } }: ChaosBed, since: number): Promise<string[]> {
  const names = new Set([...apps.values()].map(({ application }) => application));
  const doneBy = new Map<string, string>();
  const wrong = new Set<string>();
  for (const { application, operation, sync, health } of applicationRecords(await audit(since))) {
    if (!names.has(application) || operation === undefined || operation.automated) continue;
    const done = doneBy.get(application);
    if (done !== undefined && operation.startedAt > done)
      wrong.add(`R2.3: ${application}, done by the sync of ${done}, was synced again at ${operation.startedAt}`);
    if (sync === 'Synced' && health === 'Healthy' && operation.phase === 'Succeeded')
      doneBy.set(application, operation.startedAt);
  }
  return [...wrong];
}

/** What a deploy must not leave: an app that is not Synced and Healthy, an operation, a hold window, a lease. */
export async function wrongAfterDeploy({ client, platform }: Pick<ChaosBed, 'client' | 'platform'>): Promise<string[]> {
  const found = new Map((await listOf<Application>(client, 'applications')).map((one) => [one.metadata.name, one]));
  return [
    ...namesOf(platform).flatMap((name) => wrongWith(name, found.get(name))),
    ...(await remains(client, platform.name)),
  ];
}

/** What a teardown must not leave: anything. */
export async function wrongAfterTeardown({ client, platform, before }: ChaosBed): Promise<string[]> {
  const left = [...(await clusterSnapshot(client))].filter((object) => !before.has(object));
  return [...left.map((object) => `${object} is still there`), ...(await remains(client, platform.name))];
}

/** The run lease, as long as it counts. */
export async function leaseHolder(client: KubeClient, platform: string): Promise<string | undefined> {
  const lease = await client.get<Lease>(`/apis/coordination.k8s.io/v1/namespaces/argocd/leases/tiphys-${platform}`);
  if (lease === undefined) return undefined;
  const { holderIdentity, renewTime, leaseDurationSeconds } = lease.spec;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 > Date.now() ? holderIdentity : undefined;
}

interface Lease {
  readonly spec: { readonly holderIdentity: string; readonly renewTime: string; readonly leaseDurationSeconds: number };
}

interface Application {
  readonly metadata: { readonly name: string };
  readonly operation?: object;
  readonly status?: {
    readonly sync?: { readonly status: string };
    readonly health?: { readonly status: string };
    readonly operationState?: { readonly phase: string; readonly message?: string };
  };
}

function namesOf({ root, stacks, apps }: Platform): string[] {
  const parents = [root, ...[...stacks.values()].map(({ application }) => application)];
  const names = [...parents, ...[...apps.values()].map(({ application }) => application)];
  return names.filter((name) => name !== undefined);
}

function wrongWith(name: string, application: Application | undefined): string[] {
  if (application === undefined) return [`${name} is missing`];
  const { operation, status } = application;
  const state = `${status?.sync?.status} and ${status?.health?.status}`;
  const phase = status?.operationState?.phase;
  return [
    ...(state === 'Synced and Healthy' ? [] : [`${name} is ${state}`]),
    ...(operation === undefined ? [] : [`${name} has an operation that nobody has taken up`]),
    ...(phase === 'Running' ? [`${name} has an operation under way: ${status?.operationState?.message}`] : []),
  ];
}

async function remains(client: KubeClient, platform: string): Promise<string[]> {
  const projects = await listOf<{ metadata: { name: string } }>(client, 'appprojects');
  const windows = projects.flatMap((project) =>
    heldIn(windowsOf(project), platform).map((name) => `${name} is still held in ${project.metadata.name}`),
  );
  const holder = await leaseHolder(client, platform);
  return holder === undefined ? windows : [...windows, `${holder} still has the lease`];
}

async function listOf<T>(client: KubeClient, plural: string): Promise<readonly T[]> {
  return (await client.list<T>(`/apis/argoproj.io/v1alpha1/namespaces/argocd/${plural}`)).items;
}

import type { KubeClient } from '../adapters/kubernetes/client.ts';
import { createDiscovery, type Resource } from '../adapters/kubernetes/discovery.ts';
import { ApiError } from '../adapters/kubernetes/errors.ts';
import { type ClusterSnapshot, fleetingKinds, snapshotName } from '../core/preflight/cluster-snapshot.ts';
import { inParallel } from '../engine/in-parallel.ts';

/** Names every object of the cluster that somebody made; what a controller has made for another object goes with it. */
export async function takeSnapshot(
  client: KubeClient,
  { now }: { readonly now: number },
  signal: AbortSignal,
): Promise<ClusterSnapshot> {
  const { resources, unavailable } = await createDiscovery(client).allResources(signal);
  const objects: string[] = [];
  const unread = [...unavailable];
  await inParallel(
    resources.filter(({ kind }) => !fleetingKinds.has(kind)),
    async (resource) => {
      const found = await namesIn(client, resource, signal);
      if (found === undefined) unread.push(kindName(resource));
      else objects.push(...found);
    },
  );
  return { takenAt: new Date(now).toISOString(), objects: objects.sort(), unread: unread.sort() };
}

interface Owned {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly { readonly controller?: boolean }[];
  };
}

/** undefined: we may not look, or nobody can. */
async function namesIn(
  client: KubeClient,
  resource: Resource,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { items } = await client.list<Owned>(resource.path(), {}, signal);
    return items
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ controller }) => controller === true) !== true)
      .map(({ metadata: { namespace, name } }) => snapshotName({ ...groupAndKind(resource), namespace, name }));
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 405, 406].includes(error.status)) return undefined;
    throw error;
  }
}

function groupAndKind({ apiVersion, kind }: Resource): { group: string; kind: string } {
  return { group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '', kind };
}

function kindName(resource: Resource): string {
  const { group, kind } = groupAndKind(resource);
  return group === '' ? kind : `${kind}.${group}`;
}

import type { KubeClient } from '../adapters/kubernetes/client.ts';
import { createDiscovery, type Resource } from '../adapters/kubernetes/discovery.ts';
import { ApiError } from '../adapters/kubernetes/errors.ts';
import { fleetingKinds, type LabelledObject, type SeenObjects } from '../core/preflight/cluster-snapshot.ts';
import { isProbe } from '../core/preflight/pod-probe.ts';
import { inParallel } from '../engine/in-parallel.ts';

/** Lists every object of the cluster that somebody made; what a controller has made for another object goes with it. */
export async function listObjects(client: KubeClient, signal: AbortSignal): Promise<SeenObjects> {
  const { resources, unavailable } = await createDiscovery(client).allResources(signal);
  const objects: LabelledObject[] = [];
  const unread = [...unavailable];
  await inParallel(
    resources.filter(({ kind }) => !fleetingKinds.has(kind)),
    async (resource) => {
      const found = await objectsOf(client, resource, signal);
      if (found === undefined) unread.push(kindName(resource));
      else objects.push(...found);
    },
  );
  return { objects, unread };
}

interface Owned {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly controller?: boolean }[];
  };
}

/** undefined: we may not look, or nobody can. */
async function objectsOf(
  client: KubeClient,
  resource: Resource,
  signal: AbortSignal,
): Promise<readonly LabelledObject[] | undefined> {
  try {
    const { items } = await client.list<Owned>(resource.path(), {}, signal);
    return items
      .filter((object) => !isMadeForAnother(object) && !isProbe(object.metadata.labels))
      .map(({ metadata: { namespace, name, labels = {}, annotations = {} } }) => ({
        ...groupAndKind(resource),
        namespace,
        name,
        labels,
        annotations,
      }));
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 405, 406].includes(error.status)) return undefined;
    throw error;
  }
}

/** Owned by a controller, or an APIService that the API server keeps itself for each group that a definition brings. */
function isMadeForAnother({ metadata: { ownerReferences = [], labels = {} } }: Owned): boolean {
  return (
    ownerReferences.some(({ controller }) => controller === true) ||
    labels['kube-aggregator.kubernetes.io/automanaged'] !== undefined
  );
}

function groupAndKind({ apiVersion, kind }: Resource): { group: string; kind: string } {
  return { group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '', kind };
}

function kindName(resource: Resource): string {
  const { group, kind } = groupAndKind(resource);
  return group === '' ? kind : `${kind}.${group}`;
}

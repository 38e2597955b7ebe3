import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { createDiscovery } from '../../src/adapters/kubernetes/discovery.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What comes and goes by itself, only tells of other things, or is how the testbed plays a kind. */
const fleeting = new Set(['Event', 'Lease', 'ComponentStatus', 'EndpointSlice', 'APIService', 'IPAddress', 'Stage']);

/** Every object of the cluster, of every kind it serves: `Kind namespace/name`. */
export async function clusterSnapshot(client: KubeClient): Promise<ReadonlySet<string>> {
  const { resources } = await createDiscovery(client).allResources();
  const lists = await Promise.all(
    resources
      .filter(({ kind }) => !fleeting.has(kind))
      .map(async ({ kind, path }) => {
        const { items } = await client.list<Named>(path());
        return items.map(({ metadata: { namespace, name } }) => `${kind} ${namespace ?? ''}/${name}`);
      }),
  );
  return new Set(lists.flat());
}

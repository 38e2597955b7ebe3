import type { KubeClient } from '../adapters/kubernetes/client.ts';
import { type ClusterSnapshot, toSnapshot } from '../core/preflight/cluster-snapshot.ts';
import { listObjects } from './list-objects.ts';

/** Names every object of the cluster that somebody made. */
export async function takeSnapshot(
  client: KubeClient,
  { now }: { readonly now: number },
  signal: AbortSignal,
): Promise<ClusterSnapshot> {
  return toSnapshot(await listObjects(client, signal), now);
}

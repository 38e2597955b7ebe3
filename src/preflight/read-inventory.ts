import { freeOf } from '../core/preflight/capacity.ts';
import type { ClusterInventory } from '../core/preflight/preflight-report.ts';
import type { ClusterLook } from './open-look.ts';

/** R3.5: nodes, versions and capacity, as far as they could be read. The checks have read them all; nothing is asked twice. */
export async function readInventory(cluster: ClusterLook): Promise<ClusterInventory> {
  const [version, nodes, pods, storageClasses, definitions] = await Promise.all([
    orNothing(cluster.version()),
    orNothing(cluster.nodes()),
    orNothing(cluster.pods()),
    orNothing(cluster.storageClasses()),
    orNothing(cluster.definitions()),
  ]);
  return {
    ...(version === undefined ? {} : { version: version.gitVersion }),
    ...(version?.platform === undefined ? {} : { platform: version.platform }),
    nodes: nodes ?? [],
    ...(nodes === undefined || pods === undefined ? {} : freeOf(nodes, pods)),
    storageClasses: storageClasses ?? [],
    definitions: definitions ?? [],
  };
}

/** What went wrong is in the findings of the check that asked for it. */
function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(() => undefined);
}

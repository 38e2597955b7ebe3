import type { LiveObject, World } from './ports.ts';

export const snapshotKind = { group: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot' };

/** By these a snapshot is known for one that a teardown has taken. */
export function snapshotLabels(runId: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/managed-by': 'tiphys', 'tiphys.dev/run': runId };
}

export function isOurSnapshot({ kind, metadata }: LiveObject): boolean {
  const { 'app.kubernetes.io/managed-by': managedBy, 'tiphys.dev/run': run } = metadata.labels ?? {};
  return kind === snapshotKind.kind && managedBy === 'tiphys' && run !== undefined;
}

/** The namespaces in which there is one. */
export async function snapshotNamespaces(world: World, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const snapshots = (await world.objects.list(snapshotKind, undefined, signal)).filter(isOurSnapshot);
  return new Set(snapshots.map(({ metadata }) => metadata.namespace ?? ''));
}

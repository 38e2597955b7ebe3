import type { PvPolicy } from '../core/platform/platform.ts';
import type { Emit } from './event-queue.ts';
import { OperatorError } from './operator-error.ts';
import { snapshotKind, snapshotLabels } from './our-snapshots.ts';
import type { LiveObject, ObjectReference, World } from './ports.ts';
import type { Inventory } from './take-inventory.ts';
import { isBoundTo } from './take-storage.ts';

export interface VolumeOrder {
  readonly inventory: Inventory;
  readonly policy: PvPolicy;
  readonly runId: string;
}

const snapshotPatienceMs = 30 * 60_000;

/** A policy that cannot be kept is refused before anything is held or removed. */
export async function mustBePossible(world: World, policy: PvPolicy, signal: AbortSignal): Promise<void> {
  if (policy !== 'snapshot') return;
  const served = await world.objects.read(snapshotDefinition, signal);
  if (served !== undefined) return;
  throw new OperatorError('this cluster has no VolumeSnapshot API, so no volume can be snapshotted', {
    hint: 'Install the snapshot CRDs and controller of your CSI driver, or choose --pv-policy retain.',
    exitCode: 3,
  });
}

const snapshotDefinition: ObjectReference = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  namespace: undefined,
  name: 'volumesnapshots.snapshot.storage.k8s.io',
};

/** R6.7: makes sure, before anything goes, that the volumes end as the policy says: kept, deleted, or snapshotted first. */
export async function protectVolumes(world: World, emit: Emit, order: VolumeOrder, signal: AbortSignal): Promise<void> {
  if (order.policy === 'snapshot') await snapshotAll(world, emit, order, signal);
  for (const volume of order.inventory.volumes)
    await setPolicy(world, [volume], mayGo(order, volume) ? 'Delete' : 'Retain', signal);
  // Whoever asked for their data to be deleted meant what is surely theirs.
  if (order.policy !== 'delete') await setPolicy(world, order.inventory.doubtful, 'Retain', signal);
}

/** With snapshots only what has one: what an earlier run has kept is not bound any more, and has none. */
export function mayGo({ inventory, policy }: Omit<VolumeOrder, 'runId'>, volume: LiveObject): boolean {
  return policy === 'delete' || (policy === 'snapshot' && isBoundTo(inventory.claims, volume));
}

export async function setPolicy(
  world: World,
  volumes: readonly LiveObject[],
  wanted: 'Retain' | 'Delete',
  signal: AbortSignal,
): Promise<void> {
  for (const volume of volumes) {
    if (reclaimPolicy(volume) === wanted) continue;
    await world.objects.mergePatch(
      volumeReference(volume),
      { spec: { persistentVolumeReclaimPolicy: wanted } },
      signal,
    );
  }
}

export function volumeReference(volume: LiveObject): ObjectReference {
  return { group: '', kind: 'PersistentVolume', namespace: undefined, name: volume.metadata.name };
}

function reclaimPolicy(volume: LiveObject): unknown {
  return (volume['spec'] as { persistentVolumeReclaimPolicy?: unknown } | undefined)?.persistentVolumeReclaimPolicy;
}

async function snapshotAll(world: World, emit: Emit, order: VolumeOrder, signal: AbortSignal): Promise<void> {
  const deadline = world.clock.now() + snapshotPatienceMs;
  for (const claim of order.inventory.claims) {
    const { name, namespace } = claim.metadata;
    const reference = { ...snapshotKind, namespace, name: `${name}-${order.runId}`.slice(0, 253) };
    emit({ type: 'phase-started', phase: 'quiesce', message: `snapshotting ${namespace}/${name}` });
    await world.objects.create(reference, snapshotObject(reference, name, order.runId), signal);
    await untilReady(world, reference, deadline, signal);
  }
}

async function untilReady(
  world: World,
  reference: ObjectReference,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const snapshot = await world.objects.read(reference, signal);
    const status = (snapshot?.['status'] ?? {}) as { readyToUse?: boolean; error?: { message?: string } };
    if (status.readyToUse === true) return;
    if (status.error !== undefined) throw snapshotFailed(reference, status.error.message ?? 'no reason given');
    if (world.clock.now() >= deadline) throw snapshotFailed(reference, 'timed out');
    await world.clock.sleep(2_000, signal);
  }
}

function snapshotFailed({ namespace, name }: ObjectReference, because: string): OperatorError {
  return new OperatorError(`the snapshot ${namespace}/${name} did not become ready: ${because}`, {
    hint: 'Nothing was removed. Mend the snapshot class or choose --pv-policy retain.',
  });
}

function snapshotObject(reference: ObjectReference, claim: string, runId: string): object {
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: {
      name: reference.name,
      namespace: reference.namespace,
      labels: snapshotLabels(runId),
    },
    spec: { source: { persistentVolumeClaimName: claim } },
  };
}

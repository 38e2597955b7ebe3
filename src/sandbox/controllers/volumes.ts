import type { KubeObject } from '../store/objects.ts';
import type { Change, Store } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import type { KindLookup } from './kind-lookup.ts';

const by = 'volume-provisioner';

/** Gives every claim a volume, and does with it what its reclaim policy says when the claim goes. Returns how to stop it. */
export function startVolumes(world: { store: Store; time: SandboxTime; typeOf: KindLookup }): () => void {
  const { store, time, typeOf } = world;
  return store.subscribe((change) => {
    if (change.resource.kind !== 'PersistentVolumeClaim') return;
    const volumes = typeOf('v1', 'PersistentVolume');
    if (volumes === undefined) return;
    if (change.type === 'ADDED') time.after(300, () => provision(world, change));
    else if (change.type === 'DELETED') time.after(100, () => reclaim(world, change.object));
  });
}

interface VolumeWorld {
  readonly store: Store;
  readonly typeOf: KindLookup;
}

interface ClaimSpec {
  readonly storageClassName?: string;
  readonly accessModes?: readonly string[];
  readonly volumeName?: string;
}

function provision({ store, typeOf }: VolumeWorld, { resource, object }: Change): void {
  const type = typeOf('v1', 'PersistentVolume');
  const claim = store.get(resource, object.metadata.namespace, object.metadata.name);
  if (type === undefined || claim === undefined || claim.metadata.uid !== object.metadata.uid) return;
  const { storageClassName, accessModes, volumeName } = claim['spec'] as ClaimSpec;
  if (volumeName !== undefined) return;
  const { name, namespace, uid } = claim.metadata;
  const volume = `pvc-${uid}`;
  const spec = {
    accessModes,
    capacity: { storage: '10Gi' },
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
    persistentVolumeReclaimPolicy: reclaimPolicy({ store, typeOf }, storageClassName),
    ...(storageClassName === undefined ? {} : { storageClassName }),
  };
  const made = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: volume }, spec };
  store.create(type, { ...made, status: { phase: 'Bound' } }, by);
  store.change(resource, namespace, name, by, (current) => ({
    ...current,
    spec: { ...(current['spec'] as object), volumeName: volume },
  }));
}

function reclaimPolicy({ store, typeOf }: VolumeWorld, storageClass: string | undefined): string {
  const type = typeOf('storage.k8s.io/v1', 'StorageClass');
  const found = type === undefined || storageClass === undefined ? undefined : store.get(type, undefined, storageClass);
  return typeof found?.['reclaimPolicy'] === 'string' ? found['reclaimPolicy'] : 'Delete';
}

/** The policy is read when the claim goes: who wants to keep the data changes it before. */
function reclaim({ store, typeOf }: VolumeWorld, claim: KubeObject): void {
  const type = typeOf('v1', 'PersistentVolume');
  const { volumeName } = claim['spec'] as ClaimSpec;
  const volume = type === undefined || volumeName === undefined ? undefined : store.get(type, undefined, volumeName);
  if (type === undefined || volume === undefined) return;
  const { persistentVolumeReclaimPolicy } = volume['spec'] as { persistentVolumeReclaimPolicy?: string };
  const { name } = volume.metadata;
  if (persistentVolumeReclaimPolicy === 'Delete') store.remove(type, undefined, name, by);
  else store.change(type, undefined, name, by, (current) => ({ ...current, status: { phase: 'Released' } }));
}

import type { PvPolicy } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import type { LiveObject, World } from './ports.ts';
import type { Inventory } from './take-inventory.ts';
import { allVolumes, claimOf, isBound } from './take-storage.ts';
import { mayGo, setPolicy, volumeReference } from './volumes.ts';

export interface VolumeSweep {
  readonly inventory: Inventory;
  readonly policy: PvPolicy;
  /** Volumes that appeared after the inventory. */
  readonly late: readonly LiveObject[];
}

export interface LeftVolumes {
  readonly orphans: readonly Leftover[];
  readonly retained: readonly Leftover[];
}

/**
 * Volumes that were bound after the inventory, in namespaces whose claims may go now. They are kept as the policy says, and one that came too
 * late for its snapshot is, too.
 */
export async function protectLate(
  world: World,
  { inventory, policy, namespaces }: Omit<VolumeSweep, 'late'> & { readonly namespaces: readonly string[] },
  signal: AbortSignal,
): Promise<readonly LiveObject[]> {
  const known = new Set([...inventory.volumes, ...inventory.doubtful].map(({ metadata }) => metadata.name));
  const late = (await allVolumes(world, signal)).filter(
    (volume) => !known.has(volume.metadata.name) && namespaces.includes(claimOf(volume)?.namespace ?? ''),
  );
  // Whose a namespace's newest volume is nobody has looked at: it is not made to go.
  if (policy !== 'delete') await setPolicy(world, late, 'Retain', signal);
  return late;
}

/** What is left of the volumes; what was to be deleted and is nobody's any more is deleted. */
export async function sweepVolumes(world: World, order: VolumeSweep, signal: AbortSignal): Promise<LeftVolumes> {
  const retained: Leftover[] = [];
  const orphans: Leftover[] = [];
  for (const { volume, because } of volumesOf(order)) {
    const live = await (because === undefined ? untilFree : readVolume)(world, volume, signal);
    if (live === undefined) continue;
    const { name } = volume.metadata;
    const object = `PersistentVolume ${name}`;
    if (because === undefined && !isBound(live)) await world.objects.delete(volumeReference(volume), signal);
    else if (because === undefined)
      orphans.push({ object, because: 'it is still bound', hint: `kubectl delete pv ${name}` });
    else if (because !== doubtful || !isBound(live)) retained.push({ object, because });
  }
  return { orphans, retained };
}

/** Kubernetes lets a volume go a moment after its claim. */
const patienceMs = 30_000;
const lookEveryMs = 1_000;

async function untilFree(world: World, volume: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> {
  const deadline = world.clock.now() + patienceMs;
  for (;;) {
    const live = await readVolume(world, volume, signal);
    if (live === undefined || !isBound(live) || world.clock.now() >= deadline) return live;
    await world.clock.sleep(lookEveryMs, signal);
  }
}

function readVolume(world: World, volume: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> {
  return world.objects.read(volumeReference(volume), signal);
}

const kept = 'pv-policy retain keeps the data';
const doubtful = 'its claim went with what was removed, in a namespace where something stays';
const unsnapshotted = 'it has no snapshot';
const tooLate = 'it came after the snapshots and has none';

/** Each with why it stays; undefined: it is to go. */
function volumesOf({ inventory, policy, late }: VolumeSweep) {
  const all = (volumes: readonly LiveObject[], because: string | undefined) =>
    volumes.map((volume) => ({ volume, because }));
  if (policy === 'delete') return all([...inventory.volumes, ...late], undefined);
  const going = inventory.volumes.filter((volume) => mayGo({ inventory, policy }, volume));
  const staying = inventory.volumes.filter((volume) => !going.includes(volume));
  return [
    ...all(going, undefined),
    ...all(staying, policy === 'retain' ? kept : unsnapshotted),
    ...all(late, policy === 'retain' ? kept : tooLate),
    ...all(inventory.doubtful, doubtful),
  ];
}

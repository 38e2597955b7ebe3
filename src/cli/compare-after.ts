import type { KubeClient } from '../adapters/kubernetes/client.ts';
import type { ObservedApplication } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import { bootstrapHomes } from '../core/preflight/bootstrap-homes.ts';
import {
  type ClusterSnapshot,
  type LabelledObject,
  newSince,
  snapshotName,
  toSnapshot,
} from '../core/preflight/cluster-snapshot.ts';
import {
  emptiedNamespaces,
  isFurniture,
  type Origin,
  type Owners,
  originOf,
  type Volume,
} from '../core/preflight/origin-of.ts';
import type { Comparison, Leftover, RunEvent } from '../core/run/events.ts';
import { readBootstrapMark } from '../engine/bootstrap-mark.ts';
import { describeObject } from '../engine/left-behind.ts';
import { parentsOf } from '../engine/parents.ts';
import type { LiveObject, World } from '../engine/ports.ts';
import { listObjects } from '../preflight/list-objects.ts';

export interface ComparisonOrder {
  readonly before: ClusterSnapshot;
  readonly platform: Platform;
  readonly world: Pick<World, 'argocd' | 'clock' | 'objects'>;
  /** Names and labels are enough. */
  readonly names: KubeClient;
}

/**
 * The events of a teardown, and before its end what is in the cluster that was not there when the snapshot was taken (R3.5).
 * What of it is the platform's is left behind, and changes the end: exit code 2.
 */
export async function* compareAfter(
  events: AsyncGenerator<RunEvent>,
  order: ComparisonOrder,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const told = new Set<string>();
  for await (const event of events) {
    for (const { object } of leftoversIn(event)) told.add(object);
    if (event.type === 'run-finished') yield* endWith(event, order, told, signal);
    else yield event;
  }
}

type Finished = Extract<RunEvent, { type: 'run-finished' }>;

async function* endWith(
  end: Finished,
  order: ComparisonOrder,
  told: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const at = (): string => new Date(order.world.clock.now()).toISOString();
  // What is still to go would be called left behind.
  const found =
    end.outcome === 'clean' || end.outcome === 'orphans'
      ? await compared(order, told, signal)
      : { failed: 'the teardown did not come to its end' };
  if ('failed' in found) {
    const message = `nothing was compared with the snapshot of ${order.before.takenAt}: ${found.failed}`;
    yield { at: at(), type: 'warning', message, hint: 'Run the same teardown again: it continues, and compares.' };
    yield end;
    return;
  }
  const { orphans, retained, comparison } = found;
  if (retained.length > 0) yield { at: at(), type: 'retained', objects: retained };
  if (orphans.length > 0) yield { at: at(), type: 'orphans', objects: orphans };
  yield { at: at(), type: 'compared', comparison };
  const verdict = orphans.length > 0 ? ({ outcome: 'orphans', exitCode: 2 } as const) : {};
  yield { ...end, at: at(), ...verdict };
}

interface Compared {
  readonly orphans: readonly Leftover[];
  readonly retained: readonly Leftover[];
  readonly comparison: Comparison;
}

/** The teardown is over and has its own verdict: a look that fails must not hide it. */
async function compared(
  order: ComparisonOrder,
  told: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Compared | { readonly failed: string }> {
  try {
    return await compare(order, told, signal);
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

async function compare(order: ComparisonOrder, told: ReadonlySet<string>, signal: AbortSignal): Promise<Compared> {
  const { before, world, names } = order;
  const seen = await listObjects(names, signal);
  const owners = await ownersOf(order, seen.objects, signal);
  const now = toSnapshot(seen, world.clock.now());
  const added = new Set(newSince(before, now));
  const news = seen.objects.filter((object) => isNews(object, added, told));
  const of = (origin: Origin): LabelledObject[] => news.filter((object) => originOf(object, owners) === origin);
  return {
    orphans: of('platform').map((object) => leftBehind(object, before.takenAt)),
    retained: of('retained').map(keptOnPurpose),
    comparison: {
      since: before.takenAt,
      bootstrap: of('bootstrap').map(snapshotName).sort(),
      others: of('others').map(snapshotName).sort(),
      unread: [...new Set([...before.unread, ...now.unread])].sort(),
    },
  };
}

async function ownersOf(
  { platform, world }: ComparisonOrder,
  objects: readonly LabelledObject[],
  signal: AbortSignal,
): Promise<Owners> {
  const { applications: there } = await world.argocd.observe(signal);
  const volumes = await world.objects.list({ group: '', kind: 'PersistentVolume' }, undefined, signal);
  const mark = await readBootstrapMark(world, platform, signal);
  const apps = [...platform.apps.values()].map(({ application }) => application);
  const applications = new Set([...apps, ...parentsOf(platform)]);
  const standing = [...applications].flatMap((name) => there.get(name) ?? []);
  return {
    platform: platform.name,
    applications,
    standing: new Set(standing.map(({ name }) => name)),
    inUse: new Set(standing.flatMap(namespacesOf)),
    emptied: emptiedNamespaces(objects, platform.name),
    homes: new Set(mark?.homes ?? bootstrapHomes(platform.environment)),
    volumes: new Map(volumes.map((volume) => [volume.metadata.name, volumeOf(volume)])),
  };
}

function volumeOf({ spec }: LiveObject): Volume {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = spec as VolumeSpec;
  return { namespace: claimRef?.namespace, isRetained: policy === 'Retain' };
}

interface VolumeSpec {
  readonly claimRef?: { readonly namespace?: string };
  readonly persistentVolumeReclaimPolicy?: string;
}

function isNews(object: LabelledObject, added: ReadonlySet<string>, told: ReadonlySet<string>): boolean {
  return added.has(snapshotName(object)) && !told.has(describeObject(object)) && !isFurniture(object);
}

/** Where an Application has something. */
function namespacesOf({ destinationNamespace, resources }: ObservedApplication): string[] {
  return [destinationNamespace, ...resources.map(({ namespace }) => namespace)].filter((name) => name !== undefined);
}

function leftBehind(object: LabelledObject, since: string): Leftover {
  const { group, kind, namespace, name } = object;
  const type = `${kind}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return {
    object: describeObject(object),
    because: `it was not there at ${since}, before the platform came`,
    hint: `If nobody needs it: kubectl delete ${type} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`,
  };
}

/** By an earlier teardown, which has told of it. */
function keptOnPurpose(object: LabelledObject): Leftover {
  const isVolume = object.kind === 'PersistentVolume';
  const because = isVolume ? 'its policy Retain keeps the data' : 'definitions are kept unless --include-crds is given';
  return { object: describeObject(object), because };
}

/** What the teardown itself has told of. */
function leftoversIn(event: RunEvent): readonly Leftover[] {
  if (event.type === 'retained' || event.type === 'orphans') return event.objects;
  return event.type === 'node-orphaned' ? event.orphans : [];
}

import { type Finding, passed, warned } from './finding.ts';

/** Every object of the cluster that somebody made: what is there after a teardown is compared with this (R3.5). */
export interface ClusterSnapshot {
  readonly takenAt: string;
  /** `Deployment.apps argocd/argocd-server`, `Namespace argocd`; sorted. */
  readonly objects: readonly string[];
  /** Kinds that could not be read, so that nothing is said of them. */
  readonly unread: readonly string[];
}

export interface SnapshotObject {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The same with what may say whose it is. */
export interface LabelledObject extends SnapshotObject {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Everything that could be listed. */
export interface SeenObjects {
  readonly objects: readonly LabelledObject[];
  readonly unread: readonly string[];
}

/** Come and go by themselves, or only tell of other things. */
export const fleetingKinds: ReadonlySet<string> = new Set([
  'ComponentStatus',
  'ControllerRevision',
  'EndpointSlice',
  'Endpoints',
  'Event',
  'IPAddress',
  'Lease',
  'NodeMetrics',
  'PodMetrics',
]);

export function snapshotName({ group, kind, namespace, name }: SnapshotObject): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `${kind}${group === '' ? '' : `.${group}`} ${place}`;
}

export function toSnapshot({ objects, unread }: SeenObjects, now: number): ClusterSnapshot {
  return {
    takenAt: new Date(now).toISOString(),
    objects: objects.map(snapshotName).sort(),
    unread: [...unread].sort(),
  };
}

/** How many objects of each kind, most first. */
export function countKinds({ objects }: ClusterSnapshot): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const object of objects) {
    const kind = object.slice(0, object.indexOf(' '));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, others]) => others - many || (a < b ? -1 : 1));
}

/** What is in the second that was not in the first. Kinds that one of them could not read are left out. */
export function newSince(before: ClusterSnapshot, now: ClusterSnapshot): readonly string[] {
  const known = new Set(before.objects);
  const blind = new Set([...before.unread, ...now.unread]);
  return now.objects.filter((object) => !known.has(object) && !blind.has(object.slice(0, object.indexOf(' '))));
}

/** The comparison as findings: what a teardown has left, one by one. */
export function judgeComparison(before: ClusterSnapshot, now: ClusterSnapshot): readonly Finding[] {
  const more = newSince(before, now);
  const since = `since ${before.takenAt}`;
  if (more.length === 0) return [passed('comparison', `nothing has been added ${since}`)];
  return more.map((object) =>
    warned(
      object,
      `was not there ${since}`,
      'If nobody needs it, delete it; `tiphys teardown` names what it has left and why.',
    ),
  );
}

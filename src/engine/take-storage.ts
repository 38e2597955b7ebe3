import type { Observed, ResourceRef } from '../core/plan/observed.ts';
import { describeObject } from './left-behind.ts';
import type { LiveObject, World } from './ports.ts';

/** Claims and volumes that a teardown has to do with. */
export interface Storage {
  /** Of what goes. */
  readonly claims: readonly LiveObject[];
  readonly volumes: readonly LiveObject[];
  /**
   * Volumes in namespaces where something stays: whose they are nobody can tell. An operator that loses its database, or a
   * StatefulSet, may let their claims go.
   */
  readonly doubtful: readonly LiveObject[];
}

export interface StorageOrder {
  /** Every namespace in which something goes. */
  readonly touched: ReadonlySet<string>;
  /** Those of them in which nothing stays. */
  readonly ours: ReadonlySet<string>;
  /** What Argo CD deletes. */
  readonly managed: readonly ResourceRef[];
  readonly staying: Pick<Observed, 'applications'>;
}

export async function takeStorage(world: World, order: StorageOrder, signal: AbortSignal): Promise<Storage> {
  const all = await world.objects.list({ group: '', kind: 'PersistentVolumeClaim' }, undefined, signal);
  const volumes = await allVolumes(world, signal);
  const managed = claimNames(order.managed);
  const kept = claimNames([...order.staying.applications.values()].flatMap(({ resources }) => resources));
  const goes = ({ namespace, name }: ClaimName): boolean =>
    order.ours.has(namespace) || managed.has(describeClaim({ namespace, name }));
  const isDoubtful = (claim: ClaimName): boolean =>
    order.touched.has(claim.namespace) && !goes(claim) && !kept.has(describeClaim(claim));
  return {
    claims: all.filter(({ metadata: { namespace = '', name } }) => goes({ namespace, name })),
    volumes: volumes.filter((volume) => isOf(volume, goes)),
    doubtful: volumes.filter((volume) => isOf(volume, isDoubtful)),
  };
}

export function allVolumes(world: World, signal: AbortSignal): Promise<readonly LiveObject[]> {
  return world.objects.list({ group: '', kind: 'PersistentVolume' }, undefined, signal);
}

export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
}

/** The claim a PersistentVolume is bound to, or was. */
export function claimOf(volume: LiveObject): ClaimName | undefined {
  const spec = volume['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined;
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Whether one of these claims has this volume now; one that a claim has let go still names it. */
export function isBoundTo(claims: readonly LiveObject[], volume: LiveObject): boolean {
  const claim = claimOf(volume);
  const isIt = ({ metadata: { namespace, name } }: LiveObject): boolean =>
    namespace === claim?.namespace && name === claim?.name;
  return isBound(volume) && claims.some(isIt);
}

export function isBound(volume: LiveObject): boolean {
  return (volume['status'] as { phase?: string } | undefined)?.phase === 'Bound';
}

function isOf(volume: LiveObject, isSo: (claim: ClaimName) => boolean): boolean {
  const claim = claimOf(volume);
  return claim !== undefined && isSo(claim);
}

function claimNames(objects: readonly ResourceRef[]): ReadonlySet<string> {
  return new Set(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(describeObject));
}

function describeClaim({ namespace, name }: ClaimName): string {
  return describeObject({ group: '', kind: 'PersistentVolumeClaim', namespace, name });
}

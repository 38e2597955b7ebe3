import type { ResourceRef } from '../core/plan/observed.ts';
import { isCrd } from './left-definitions.ts';
import type { LiveObject, ObjectReference, World } from './ports.ts';

const syncOptions = 'argocd.argoproj.io/sync-options';
const mark = 'tiphys.dev/spared';

/** `Prune=confirm` changes nothing more, but Argo CD notes it in the Application: by that we know that it has heard of both. */
const sparing = ['Delete=false', 'Prune=confirm'];

/** Why it is kept though nothing needs it; undefined: it may go. */
export function keptBecause(
  order: { readonly includeCrds: boolean },
  object: Pick<ResourceRef, 'kind'>,
  live: LiveObject,
): string | undefined {
  if (isCrd(object)) return order.includeCrds ? undefined : 'definitions are kept unless --include-crds is given';
  return keptByGit(live);
}

/** What Git itself says to keep. */
export function keptByGit(live: LiveObject): string | undefined {
  if (live.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') return 'its Helm resource policy keeps it';
  return hasDeleteFalse(live) && !isSpared(live) ? 'its sync option Delete=false keeps it' : undefined;
}

/** The options are ours; where Git has set its own since, these count and not our mark. */
export function isSpared(live: LiveObject): boolean {
  const options = optionsOf(live);
  return hasMark(live) && sparing.every((option) => options.includes(option));
}

export function hasMark({ metadata }: LiveObject): boolean {
  return metadata.annotations?.[mark] !== undefined;
}

function hasDeleteFalse(live: LiveObject): boolean {
  return optionsOf(live).includes('Delete=false');
}

function optionsOf({ metadata }: LiveObject): string[] {
  return (metadata.annotations?.[syncOptions] ?? '').split(',').filter((option) => option !== '');
}

/**
 * An annotation on the live object is no drift: Argo CD compares only what Git says. Definitions need none, and what somebody else has
 * told to stay was told long ago.
 */
export async function spare(
  world: World,
  object: ObjectReference,
  live: LiveObject,
  signal: AbortSignal,
): Promise<boolean> {
  if (isSpared(live)) return true;
  if (isCrd(object) || hasDeleteFalse(live)) return false;
  // Of several values of an option the first counts.
  const value = [...sparing, ...othersOf(live)].join(',');
  const body = { metadata: { annotations: { [syncOptions]: value, [mark]: 'true' } } };
  await world.objects.mergePatch(object, body, signal);
  return true;
}

/** Takes back what `spare` has said; somebody's own options stay. */
export async function unspare(
  world: World,
  object: ObjectReference,
  live: LiveObject,
  signal: AbortSignal,
): Promise<void> {
  if (!hasMark(live)) return;
  const value = (isSpared(live) ? othersOf(live) : optionsOf(live)).join(',');
  // null takes an annotation away.
  const body = { metadata: { annotations: { [syncOptions]: value === '' ? null : value, [mark]: null } } };
  await world.objects.mergePatch(object, body, signal);
}

function othersOf(live: LiveObject): string[] {
  return optionsOf(live).filter((option) => !sparing.includes(option));
}

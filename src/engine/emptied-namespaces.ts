import type { Observed } from '../core/plan/observed.ts';
import { referenceOf } from './left-behind.ts';
import { snapshotNamespaces } from './our-snapshots.ts';
import { allNamespaces, isInUse, isMarkedFor, isNamespace } from './platform-namespaces.ts';
import type { ObjectReference, World } from './ports.ts';
import { hasMark, keptByGit, unspare } from './spare.ts';
import { holdsOnlySnapshots } from './sweep-namespaces.ts';

/** Whether a namespace that a teardown has begun to empty still waits for something, though nothing of an Application is in there. */
export async function isNamespaceWaiting(
  world: World,
  { platform, observed }: { readonly platform: string; readonly observed: Pick<Observed, 'applications'> },
  signal: AbortSignal,
): Promise<boolean> {
  const marked = (await allNamespaces(world, signal)).filter((live) => isMarkedFor(live, platform));
  const unused = marked.filter(({ metadata }) => !isInUse(metadata.name, observed));
  if (unused.some(hasMark)) return true;
  const names = unused.filter((live) => keptByGit(live) === undefined).map(({ metadata }) => metadata.name);
  if (names.length === 0) return false;
  // To look into them is dear, and seldom needed.
  const holding = await snapshotNamespaces(world, signal);
  if (names.some((name) => !holding.has(name))) return true;
  const contents = await world.objects.contents(names, signal);
  return names.some((name) => !holdsOnlySnapshots(contents.get(name) ?? []));
}

export interface SparedOrder {
  readonly platform: string;
  /** What this run has told to stay. */
  readonly spared: readonly ObjectReference[];
  readonly there: Pick<Observed, 'applications'>;
}

/**
 * What stays when its Application has gone is nobody's: whoever brings it back with Git would wait for ever for a confirmation before it is
 * pruned.
 */
export async function unspareLeft(world: World, order: SparedOrder, signal: AbortSignal): Promise<void> {
  const { platform, spared, there } = order;
  const isFree = (object: ObjectReference): boolean => !isListed(object, there);
  for (const object of spared.filter((one) => !isNamespace(one) && isFree(one))) {
    const live = await world.objects.read(object, signal);
    if (live !== undefined) await unspare(world, object, live, signal);
  }
  for (const live of await allNamespaces(world, signal)) {
    const isTheirs = !isMarkedFor(live, undefined) && !isMarkedFor(live, platform);
    if (!isTheirs && isFree(referenceOf(live))) await unspare(world, referenceOf(live), live, signal);
  }
}

function isListed({ kind, namespace, name }: ObjectReference, { applications }: SparedOrder['there']): boolean {
  return [...applications.values()].some(({ resources }) =>
    resources.some((object) => object.kind === kind && object.namespace === namespace && object.name === name),
  );
}

import type { Observed } from '../core/plan/observed.ts';
import { referenceOf } from './left-behind.ts';
import { allNamespaces, isInUse, isMarkedFor, isNamespace } from './platform-namespaces.ts';
import type { LiveObject, ObjectReference, World } from './ports.ts';
import { hasMark, keptByGit, unspare } from './spare.ts';

/** Namespaces that a teardown has begun to empty and that still wait for something, though nothing of an Application is in there. */
export async function waitingNamespaces(
  world: World,
  { platform, observed }: { readonly platform: string; readonly observed: Pick<Observed, 'applications'> },
  signal: AbortSignal,
): Promise<readonly LiveObject[]> {
  const marked = (await allNamespaces(world, signal)).filter((live) => isMarkedFor(live, platform));
  const unused = marked.filter(({ metadata }) => !isInUse(metadata.name, observed));
  return unused.filter((live) => hasMark(live) || keptByGit(live) === undefined);
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

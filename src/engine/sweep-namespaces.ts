import type { Leftover } from '../core/run/events.ts';
import type { Emit } from './event-queue.ts';
import { inParallel } from './in-parallel.ts';
import { describeObject, leftBehind, leftover, referenceOf } from './left-behind.ts';
import { isOurSnapshot } from './our-snapshots.ts';
import { allNamespaces } from './platform-namespaces.ts';
import type { LiveObject, ObjectReference, World } from './ports.ts';
import { keptByGit } from './spare.ts';

/** A namespace controller looks at everything in it before it lets go. */
const patienceMs = 5 * 60_000;
const lookEveryMs = 1_000;

export interface Left {
  readonly orphans: readonly Leftover[];
  readonly retained: readonly Leftover[];
}

/**
 * A namespace goes when nothing is in it but what Kubernetes puts there; else it stays, and what is in it is named. One that Git says to keep
 * stays as it is. All of them go at once: each takes Kubernetes some seconds, and they do not need one another.
 */
export async function sweepNamespaces(
  world: World,
  emit: Emit,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<Left> {
  const there = (await allNamespaces(world, signal)).filter(({ metadata }) => namespaces.includes(metadata.name));
  const retained = there.flatMap(retainedBy);
  const wanted = there.filter((live) => keptByGit(live) === undefined).map(({ metadata }) => metadata.name);
  if (wanted.length === 0) return { orphans: [], retained };
  const count = wanted.length === 1 ? `namespace ${wanted[0]}` : `${wanted.length} namespaces`;
  emit({ type: 'phase-started', phase: 'sweep', message: `looking into ${count} and removing what is empty` });
  const swept = await removeEmpty(world, wanted, signal);
  return { orphans: swept.orphans, retained: [...retained, ...swept.retained] };
}

function retainedBy(live: LiveObject): Leftover[] {
  const because = keptByGit(live);
  return because === undefined ? [] : [{ object: describeObject(referenceOf(live)), because }];
}

async function removeEmpty(world: World, wanted: readonly string[], signal: AbortSignal): Promise<Left> {
  const contents = await world.objects.contents(wanted, signal);
  const inside = (name: string): readonly LiveObject[] => contents.get(name) ?? [];
  const orphans: Leftover[] = [];
  const going: string[] = [];
  const holding: string[] = [];
  for (const name of wanted) {
    const found = inside(name).filter((object) => !isFurniture(object) && !isOurSnapshot(object));
    // Something that works in there may need the claims: then all of it stays, and is named.
    if (found.some((object) => object.kind !== 'PersistentVolumeClaim')) orphans.push(...found.map(orphanOf));
    else if (inside(name).some(isOurSnapshot)) holding.push(name);
    else going.push(name);
  }
  await inParallel([...going, ...holding], (name) => letClaimsGo(world, inside(name), signal));
  const references = going.map(namespaceReference);
  await inParallel(references, (reference) => world.objects.delete(reference, signal));
  const retained = holding.map((name) => ({ object: `Namespace ${name}`, because: holdsSnapshots }));
  // What happens to a volume is known when its claim is gone.
  const claims = holding.flatMap((name) => claimsIn(inside(name))).map(referenceOf);
  return { orphans: [...orphans, ...(await untilGone(world, [...references, ...claims], signal))], retained };
}

const holdsSnapshots = 'it holds the snapshots of its volumes';

/** Nothing but snapshots that a teardown has taken: on purpose, and nothing is left to do there. */
export function holdsOnlySnapshots(found: readonly LiveObject[]): boolean {
  return found.some(isOurSnapshot) && found.every((object) => isOurSnapshot(object) || isFurniture(object));
}

const namespaceKind = { group: '', kind: 'Namespace' };

function namespaceReference(name: string): ObjectReference {
  return { ...namespaceKind, namespace: undefined, name };
}

/** The volume's own policy says what becomes of the data; the claim would only keep the namespace alive. */
async function letClaimsGo(world: World, found: readonly LiveObject[], signal: AbortSignal): Promise<void> {
  for (const claim of claimsIn(found)) await world.objects.delete(referenceOf(claim), signal);
}

function claimsIn(found: readonly LiveObject[]): LiveObject[] {
  return found.filter((object) => object.kind === 'PersistentVolumeClaim');
}

/** What of these is still there when patience ends. */
export async function untilGone(
  world: World,
  objects: readonly ObjectReference[],
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const deadline = world.clock.now() + patienceMs;
  for (;;) {
    const left = await leftBehind(world, objects, signal);
    if (left.length === 0 || world.clock.now() >= deadline) return left;
    await world.clock.sleep(lookEveryMs, signal);
  }
}

function orphanOf(object: LiveObject): Leftover {
  const described = leftover(referenceOf(object), object);
  const { name, namespace = '' } = object.metadata;
  return {
    ...described,
    hint: described.hint ?? `kubectl delete ${object.kind.toLowerCase()} ${name} -n ${namespace}`,
  };
}

/** What every namespace has, or what only tells of things that are gone. */
function isFurniture({ kind, metadata }: LiveObject): boolean {
  if (kind === 'Event' || kind === 'Endpoints' || kind === 'EndpointSlice' || kind === 'Lease') return true;
  if (kind === 'ServiceAccount' && metadata.name === 'default') return true;
  return kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt';
}

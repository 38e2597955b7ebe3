import type { ResourceRef } from '../core/plan/observed.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { Leftover } from '../core/run/events.ts';
import { isArgocdItself, keptForArgocd } from './argocd-itself.ts';
import { describeObject } from './left-behind.ts';
import { isCrd, markDefinition } from './left-definitions.ts';
import { isNamespace } from './platform-namespaces.ts';
import type { LiveObject, World } from './ports.ts';
import type { RemovalOrder } from './removal-order.ts';
import { isSpared, keptBecause, spare } from './spare.ts';

/** What becomes of an app's objects when its Application is deleted. */
export interface SortedObjects {
  /** Argo CD deletes them with the Application. */
  readonly going: readonly ResourceRef[];
  /** Argo CD leaves them, and we delete them afterwards. */
  readonly ours: readonly ResourceRef[];
  readonly kept: readonly Leftover[];
  /** Told to stay; Argo CD has to hear of that before the Application is deleted. */
  readonly spared: readonly ResourceRef[];
}

/**
 * Sorts what an app manages. Argo CD never deletes a CustomResourceDefinition, nor what says `Delete=false`. Objects of a part
 * that something still needs are told so here, with a mark by which a later teardown knows that the option was ours; namespaces,
 * too, because with one goes all that anybody has in it: the sweep looks first.
 */
export async function sortObjects(
  world: World,
  order: RemovalOrder & { readonly node: string },
  signal: AbortSignal,
): Promise<SortedObjects> {
  const needed = neededParts(order);
  const none = (): ResourceRef[] => [];
  const sorted = { going: none(), ours: none(), spared: none(), kept: [] as Leftover[] };
  for (const object of order.inventory.objects.get(order.node) ?? []) {
    const live = await world.objects.read(object, signal);
    if (live === undefined) continue;
    const fate = fateOf(order, needed, object, live);
    const part = needed.get(describeObject(object));
    if (await prepare(world, order, { object, live, fate, part }, signal)) sorted.spared.push(object);
    if (fate === 'going' || fate === 'ours') sorted[fate].push(object);
    else if (fate !== 'waits' && fate !== 'swept')
      sorted.kept.push({ object: describeObject(object), because: words(fate), node: order.node });
  }
  return sorted;
}

/** `waits`: a part that something still needs. `swept`: goes at the end, if nothing is in it. `itself`: see there. */
type Fate = 'going' | 'ours' | 'waits' | 'swept' | 'itself' | { readonly kept: string };

function fateOf(order: RemovalOrder, needed: Needed, object: ResourceRef, live: LiveObject): Fate {
  if (isArgocdItself(order.platform, object, live)) return 'itself';
  if (isNamespace(object)) return 'swept';
  if (needed.has(describeObject(object))) return 'waits';
  const because = keptBecause(order, object, live);
  if (because !== undefined) return { kept: because };
  return isCrd(object) || isSpared(live) ? 'ours' : 'going';
}

/** What has to stand on an object before its Application goes. True when Argo CD has to hear of it. */
async function prepare(
  world: World,
  { platform }: RemovalOrder,
  { object, live, fate, part }: SortedObject,
  signal: AbortSignal,
): Promise<boolean> {
  // Who finds the mark later may delete the definition.
  if (isCrd(object) && fate !== 'itself') await markDefinition(world, platform, { object, live, part }, signal);
  return (fate === 'waits' || fate === 'swept' || fate === 'itself') && spare(world, object, live, signal);
}

interface SortedObject {
  readonly object: ResourceRef;
  readonly live: LiveObject;
  readonly fate: Fate;
  /** The part it belongs to, where one is needed. */
  readonly part: string | undefined;
}

/** Object → the part to which it belongs. */
type Needed = ReadonlyMap<string, string>;

function words(fate: 'itself' | { readonly kept: string }): string {
  return fate === 'itself' ? keptForArgocd : fate.kept;
}

/** Objects of this app's parts, which have a step of their own: after everything that needs them. */
function neededParts({ plan, inventory, node }: RemovalOrder & { readonly node: string }): Needed {
  const parts = plan.steps.filter((step) => partOf(step.node) !== undefined && appOf(step.node) === node);
  return new Map(
    parts.flatMap((part) =>
      (inventory.objects.get(part.node) ?? []).map((object): [string, string] => [describeObject(object), part.node]),
    ),
  );
}

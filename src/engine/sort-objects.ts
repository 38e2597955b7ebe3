import type { ResourceRef } from '../core/plan/observed.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { Leftover } from '../core/run/events.ts';
import { describeObject } from './left-behind.ts';
import { markDefinition } from './left-definitions.ts';
import type { LiveObject, World } from './ports.ts';
import { isCrd, type RemovalOrder } from './removal-order.ts';

/** What becomes of an app's objects when its Application is deleted. */
export interface SortedObjects {
  /** Argo CD deletes them with the Application. */
  readonly going: readonly ResourceRef[];
  /** Argo CD leaves them, and we delete them afterwards. */
  readonly ours: readonly ResourceRef[];
  readonly kept: readonly Leftover[];
}

/**
 * Sorts what an app manages. Argo CD never deletes a CustomResourceDefinition, nor what says `Delete=false`. Objects of a part
 * that something still needs are told so here, with a mark by which a later teardown knows that the option was ours.
 */
export async function sortObjects(
  world: World,
  order: RemovalOrder & { readonly node: string },
  signal: AbortSignal,
): Promise<SortedObjects> {
  const needed = neededParts(order);
  const going: ResourceRef[] = [];
  const ours: ResourceRef[] = [];
  const kept: Leftover[] = [];
  for (const object of order.inventory.objects.get(order.node) ?? []) {
    const live = await world.objects.read(object, signal);
    if (live === undefined) continue;
    if (isCrd(object)) await markDefinition(world, order.platform, { object, live }, signal);
    const because = keptBecause(order, object, live);
    if (needed.has(describeObject(object))) await spare(world, object, live, signal);
    else if (because !== undefined) kept.push({ object: describeObject(object), because, node: order.node });
    else if (isCrd(object) || isMarked(live)) ours.push(object);
    else going.push(object);
  }
  return { going, ours, kept };
}

/** Objects of this app's parts, which have a step of their own: after everything that needs them. */
function neededParts({ plan, inventory, node }: RemovalOrder & { readonly node: string }): ReadonlySet<string> {
  const parts = plan.steps.filter((step) => partOf(step.node) !== undefined && appOf(step.node) === node);
  return new Set(parts.flatMap((part) => (inventory.objects.get(part.node) ?? []).map(describeObject)));
}

const syncOptions = 'argocd.argoproj.io/sync-options';
const mark = 'tiphys.dev/spared';

function keptBecause(order: RemovalOrder, object: ResourceRef, live: LiveObject): string | undefined {
  if (isCrd(object)) return order.includeCrds ? undefined : 'definitions are kept unless --include-crds is given';
  const annotations = live.metadata.annotations ?? {};
  if (isMarked(live)) return undefined;
  if (hasDeleteFalse(annotations)) return 'its sync option Delete=false keeps it';
  return annotations['helm.sh/resource-policy'] === 'keep' ? 'its Helm resource policy keeps it' : undefined;
}

function isMarked(live: LiveObject): boolean {
  return live.metadata.annotations?.[mark] !== undefined;
}

function hasDeleteFalse(annotations: Readonly<Record<string, string>>): boolean {
  return (annotations[syncOptions] ?? '').split(',').includes('Delete=false');
}

/** An annotation on the live object is no drift: Argo CD compares only what Git says. Definitions need none. */
async function spare(world: World, object: ResourceRef, live: LiveObject, signal: AbortSignal): Promise<void> {
  const annotations = live.metadata.annotations ?? {};
  if (isCrd(object) || hasDeleteFalse(annotations)) return;
  const options = annotations[syncOptions];
  const value = options === undefined || options === '' ? 'Delete=false' : `${options},Delete=false`;
  const body = { metadata: { annotations: { [syncOptions]: value, [mark]: 'true' } } };
  await world.objects.mergePatch(object, body, signal);
}

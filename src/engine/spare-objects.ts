import type { ResourceRef } from '../core/plan/observed.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import { describeObject } from './left-behind.ts';
import type { World } from './ports.ts';
import { isCrd, type RemovalOrder } from './removal-order.ts';

/** What must not go with its app: definitions unless asked for, and the objects of parts that something still needs. */
export function sparedObjects(order: RemovalOrder, node: string, managed: readonly ResourceRef[]): ResourceRef[] {
  const parts = order.plan.steps.filter((step) => partOf(step.node) !== undefined && appOf(step.node) === node);
  const needed = new Set(parts.flatMap((part) => (order.inventory.objects.get(part.node) ?? []).map(describeObject)));
  return managed.filter((object) => (isCrd(object) && !order.includeCrds) || needed.has(describeObject(object)));
}

/** Argo CD leaves an object alone on deletion when it carries this option; an annotation on the live object is no drift. */
export async function spare(world: World, objects: readonly ResourceRef[], signal: AbortSignal): Promise<void> {
  for (const object of objects) {
    const live = await world.objects.read(object, signal);
    const options = live?.metadata.annotations?.[syncOptions] ?? '';
    if (live === undefined || options.split(',').includes('Delete=false')) continue;
    const value = options === '' ? 'Delete=false' : `${options},Delete=false`;
    await world.objects.mergePatch(object, { metadata: { annotations: { [syncOptions]: value } } }, signal);
  }
}

const syncOptions = 'argocd.argoproj.io/sync-options';

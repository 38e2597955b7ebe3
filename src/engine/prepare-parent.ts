import { comparedParent, type Failure } from './create-children.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { operate } from './operation.ts';
import type { World } from './ports.ts';

export interface PrepareOrder {
  readonly parent: string;
  readonly runId: string;
  readonly hold: Hold;
  readonly deadline: number;
}

/** Brings the parent's own objects (AppProjects above all) in place and the hold on them, before any child can appear under them. */
export async function prepareParent(
  world: World,
  emit: Emit,
  order: PrepareOrder,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { parent, runId, deadline } = order;
  const seen = await comparedParent(world, parent, deadline, signal);
  if ('because' in seen) return seen;
  const own = seen.resources.filter(
    (object) => object.kind !== 'Application' && object.sync !== 'Synced' && !object.hook,
  );
  // An AppProject that exists differs only by our window, and syncing it would take the window away.
  const there = new Set((await world.argocd.projects(signal)).map(({ name }) => name));
  const resources = own.filter((object) => !object.prune && (object.kind !== 'AppProject' || !there.has(object.name)));
  if (resources.length > 0) {
    const result = await operate(
      world,
      emit,
      { node: parent, application: parent, runId, deadline, resources },
      signal,
    );
    if (result.ended !== 'succeeded') {
      return { because: `${parent} could not create its AppProjects: ${result.because}`, hint: result.hint };
    }
  }
  await order.hold.cover(signal);
  return undefined;
}

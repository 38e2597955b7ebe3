import type { ObservedApplication } from '../core/plan/observed.ts';
import { comparedParent, type Failure, isApplicationSet, type ParentLook, tooLate } from './create-children.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { operate } from './operation.ts';
import type { World } from './ports.ts';

export interface PrepareOrder extends ParentLook {
  readonly runId: string;
  readonly hold: Hold;
}

/**
 * Brings the parent's own objects (AppProjects above all) in place and the hold on them, before any child can appear under
 * them. ApplicationSets come last: what they make at once is then held by name already, and waits for its turn.
 */
export async function prepareParent(
  world: World,
  emit: Emit,
  order: PrepareOrder,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const seen = await comparedParent(world, order, signal);
  if ('because' in seen) return seen;
  const own = seen.resources.filter(
    (object) => object.kind !== 'Application' && object.sync !== 'Synced' && !object.hook && !object.prune,
  );
  if (own.length === 0) return undefined;
  const [sets, others] = [own.filter(isApplicationSet), own.filter((object) => !isApplicationSet(object))];
  const resources = await withoutThoseThere(world, others, signal);
  const failure = await create(world, emit, { ...order, what: 'its AppProjects', resources }, signal);
  if (failure !== undefined) return failure;
  await order.hold.cover(signal);
  return create(world, emit, { ...order, what: 'its ApplicationSets', resources: sets }, signal);
}

/** Of what the parent brings only the AppProjects that are not there yet, with the hold on them. */
export async function bringProjects(
  world: World,
  emit: Emit,
  order: PrepareOrder & { readonly seen: ObservedApplication },
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const projects = order.seen.resources.filter(({ kind, sync }) => kind === 'AppProject' && sync !== 'Synced');
  const resources = await withoutThoseThere(world, projects, signal);
  const failure = await create(world, emit, { ...order, what: 'its AppProjects', resources }, signal);
  if (failure === undefined && resources.length > 0) await order.hold.cover(signal);
  return failure;
}

/** An AppProject that exists differs only by our window, and syncing it would take the window away. */
async function withoutThoseThere(world: World, objects: Resources, signal: AbortSignal): Promise<Resources> {
  const there = new Set((await world.argocd.projects(signal)).map(({ name }) => name));
  return objects.filter(({ kind, name }) => kind !== 'AppProject' || !there.has(name));
}

type Resources = ObservedApplication['resources'];

async function create(
  world: World,
  emit: Emit,
  { parent, runId, deadline, what, resources }: PrepareOrder & { readonly what: string; readonly resources: Resources },
  signal: AbortSignal,
): Promise<Failure | undefined> {
  if (resources.length === 0) return undefined;
  const order = { node: parent, application: parent, runId, deadline, resources };
  const result = await operate(world, emit, order, signal);
  if (result.ended === 'succeeded') return undefined;
  const because = `${parent} could not create ${what}: ${result.because}`;
  return { because, hint: result.hint, ...(result.ended === 'timed-out' && tooLate) };
}

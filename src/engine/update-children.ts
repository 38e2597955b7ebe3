import type { ObservedApplication } from '../core/plan/observed.ts';
import { isApplication } from '../core/platform/application-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import { comparedParent, inWaves } from './create-children.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { inParallel } from './in-parallel.ts';
import { operate } from './operation.ts';
import { managingParents, parentOf, parentsOf } from './parents.ts';
import type { World } from './ports.ts';
import { bringProjects } from './prepare-parent.ts';

export interface UpdateOrder {
  readonly platform: Platform;
  readonly runId: string;
  /** Only what is held is brought up to date: nothing of it starts by that. */
  readonly hold: Hold;
  /** Told the Applications whose manifest is not what it was. */
  readonly changed: Set<string>;
}

/** Argo CD may be busy with what was asked for before. */
const comparisonMs = 60_000;
const operationMs = 2 * 60_000;

/**
 * A parent that is held brings nothing up to date by itself. What Git has changed in an Application's own manifest, its path or the
 * version of its chart, would reach the cluster only when the parent is released: too late for what it should mend, all of it at once
 * and in no order. So it is brought before the plan is made, the upper parents first.
 */
export async function updateChildren(world: World, emit: Emit, order: UpdateOrder, signal: AbortSignal): Promise<void> {
  const { platform } = order;
  const stacks = parentsOf(platform).filter((name) => name !== platform.root);
  const levels = platform.root === undefined ? [stacks] : [[platform.root], stacks];
  for (const parents of levels)
    await inParallel(parents, (parent) => updateUnder(world, emit, { ...order, parent }, signal));
}

async function updateUnder(
  world: World,
  emit: Emit,
  order: UpdateOrder & { readonly parent: string },
  signal: AbortSignal,
): Promise<void> {
  const { parent } = order;
  const children = childrenOf(world, order);
  if (children.length === 0 || world.argocd.application(parent) === undefined) return;
  const seen = await comparedParent(world, { parent, deadline: world.clock.now() + comparisonMs }, signal);
  const trouble = 'because' in seen ? seen : await syncChanged(world, emit, { ...order, children, seen }, signal);
  if (trouble === undefined) return;
  emit({
    type: 'warning',
    message: `Applications under ${parent} may be older than Git: ${trouble.because}`,
    hint: trouble.hint,
  });
}

/** Those that exist: what is missing is made on its turn. */
function childrenOf(
  world: World,
  { platform, hold: { held }, parent }: UpdateOrder & { readonly parent: string },
): string[] {
  const apps = [...platform.apps.values()].map(({ application }) => application);
  return [...parentsOf(platform), ...apps].filter(
    (name) => held.has(name) && parentOf(platform, name) === parent && world.argocd.application(name) !== undefined,
  );
}

interface Changed extends UpdateOrder {
  readonly parent: string;
  readonly children: readonly string[];
  readonly seen: ObservedApplication;
}

async function syncChanged(
  world: World,
  emit: Emit,
  order: Changed,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const { parent, children, seen, hold } = order;
  const changed = seen.resources.filter(
    (object) => object.sync === 'OutOfSync' && !object.prune && children.some((child) => isApplication(object, child)),
  );
  if (changed.length === 0) return undefined;
  const names = changed.map(({ name }) => name).join(', ');
  const message = `bringing what Git has changed in the Applications themselves, held: ${names}`;
  emit({ type: 'phase-started', phase: 'observe', message });
  // Git may have moved them to another AppProject, also to one that is not there yet.
  const moved = children.filter((child) => changed.some((object) => isApplication(object, child)));
  for (const child of moved) order.changed.add(child);
  await hold.add([...moved, ...managingParents(world, order.platform, undefined)], signal, 'everywhere');
  const deadline = world.clock.now() + operationMs;
  const failure = await bringProjects(world, quiet, { ...order, deadline }, signal);
  if (failure !== undefined) return failure;
  for (const resources of inWaves(changed)) {
    const operation = { node: parent, application: parent, runId: order.runId, deadline, resources };
    const result = await operate(world, progressOf(emit, parent), operation, signal);
    if (result.ended !== 'succeeded') return result;
  }
  return undefined;
}

interface Trouble {
  readonly because: string;
  readonly hint: string;
}

/** The run has not begun yet, and a parent is no node of it. */
const quiet: Emit = () => undefined;

/** Somebody else's operation may be in the way. */
function progressOf(emit: Emit, parent: string): Emit {
  return (event) => {
    if (event.type !== 'operation-progress') return;
    emit({ type: 'phase-started', phase: 'observe', message: `${parent} ${event.message}` });
  };
}

import type { ResourceRef } from '../core/plan/observed.ts';
import type { Step } from '../core/plan/plan.ts';
import { appOf, partOf } from '../core/platform/node-name.ts';
import type { App } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { isArgocdItself, keptForArgocd } from './argocd-itself.ts';
import type { Emit } from './event-queue.ts';
import { goingAlong } from './going-along.ts';
import { InterruptedError } from './interrupted-error.ts';
import { describeObject, leftBehind } from './left-behind.ts';
import { OperatorError } from './operator-error.ts';
import { isNamespace } from './platform-namespaces.ts';
import type { LiveObject, World } from './ports.ts';
import type { RemovalOrder } from './removal-order.ts';
import { sortObjects } from './sort-objects.ts';
import { keptBecause } from './spare.ts';
import { untilSpared } from './until-spared.ts';

/** How often objects that are not Applications are looked at while they go: they have no watch of ours. */
const lookEveryMs = 2_000;

/** Deletes one node with everything it manages and waits until it is gone; what does not go is named with what blocks it. */
export async function removeNode(
  world: World,
  emit: Emit,
  order: RemovalOrder & { readonly step: Step },
  signal: AbortSignal,
): Promise<NodeState> {
  const { node } = order.step;
  const app = order.platform.apps.get(appOf(node)) as App;
  emit({ type: 'node-started', node, attempt: 1 });
  try {
    const going =
      partOf(node) === undefined ? await deleteApp(world, order, signal) : await deletePart(world, order, signal);
    return await untilGone(
      world,
      emit,
      { step: order.step, ...going, deadline: world.clock.now() + app.timeouts.healthMs },
      signal,
    );
  } catch (error) {
    if (signal.aborted || error instanceof InterruptedError) return 'running';
    if (!(error instanceof OperatorError)) throw error;
    emit({ type: 'node-failed', node, because: error.message, hint: error.hint, attempts: 1, timedOut: false });
    return 'failed';
  }
}

interface Going {
  readonly application: string | undefined;
  readonly objects: readonly ResourceRef[];
  /** To be deleted by us when the Application is gone. */
  readonly ours: readonly ResourceRef[];
}

async function deleteApp(
  world: World,
  order: RemovalOrder & { readonly step: Step },
  signal: AbortSignal,
): Promise<Going> {
  const { node, application } = order.step;
  const { going, ours, kept, spared } = await sortObjects(world, { ...order, node }, signal);
  for (const leftover of kept) order.keep(leftover);
  order.spared(spared);
  await untilSpared(world, application, spared, signal);
  // Without the finalizer an Application leaves what it manages behind, also one that another brings.
  const known = new Set([...order.platform.apps.values()].map((app) => app.application));
  const brought = goingAlong(world, order.platform, [application]).filter((name) => !known.has(name));
  for (const name of [...brought, application]) await world.argocd.cascade(name, signal);
  await world.argocd.delete(application, signal);
  return { application, objects: [...going, ...ours], ours };
}

/** Parts outlive their app: others needed them. Now that those are gone, so may they. */
async function deletePart(
  world: World,
  order: RemovalOrder & { readonly step: Step },
  signal: AbortSignal,
): Promise<Going> {
  const { node } = order.step;
  const objects: ResourceRef[] = [];
  for (const object of order.inventory.objects.get(node) ?? []) {
    const live = await world.objects.read(object, signal);
    // The sweep looks into a namespace before it goes.
    if (live === undefined || isNamespace(object)) continue;
    const because = partKeptBecause(order, object, live);
    if (because === undefined) objects.push(object);
    else order.keep({ object: describeObject(object), because, node });
  }
  return { application: undefined, objects, ours: objects };
}

function partKeptBecause(order: RemovalOrder, object: ResourceRef, live: LiveObject): string | undefined {
  return isArgocdItself(order.platform, object, live) ? keptForArgocd : keptBecause(order, object, live);
}

async function untilGone(
  world: World,
  emit: Emit,
  what: Going & { readonly step: Step; readonly deadline: number },
  signal: AbortSignal,
): Promise<NodeState> {
  const { step, objects, deadline } = what;
  const finishOurs = onceGone(world, what);
  let told = '';
  for (;;) {
    const there = await finishOurs(signal);
    // The first look is too early to blame anything but the Application itself.
    const left = there && told === '' ? [] : await leftBehind(world, objects, signal);
    if (!there && left.length === 0) {
      emit({ type: 'node-removed', node: step.node, objects: objects.length });
      return 'removed';
    }
    const waitingFor = waitSentence(step, left);
    if (waitingFor !== told) emit({ type: 'deletion-progress', node: step.node, waitingFor });
    told = waitingFor;
    if (world.clock.now() >= deadline) return orphaned(emit, step, left);
    await world.argocd.changed(step.application, Math.min(deadline, world.clock.now() + lookEveryMs), signal);
  }
}

/** Says whether the Application is there; the first time it is not, deletes what Argo CD has left to us. */
function onceGone(world: World, { application, ours }: Going): (signal: AbortSignal) => Promise<boolean> {
  let open = ours;
  return async (signal) => {
    if (application !== undefined && world.argocd.application(application) !== undefined) return true;
    for (const object of open) await world.objects.delete(object, signal);
    open = [];
    return false;
  };
}

function waitSentence(step: Step, left: readonly Leftover[]): string {
  const [first] = left;
  return first === undefined ? `Application ${step.application} to go` : `${first.object} to go (${first.because})`;
}

function orphaned(emit: Emit, step: Step, left: readonly Leftover[]): NodeState {
  const { node, application } = step;
  const [first] = left;
  emit({
    type: 'node-orphaned',
    node,
    because:
      first === undefined
        ? 'its Application did not go away in time'
        : `${first.object} did not go away: ${first.because}`,
    hint:
      first?.hint ??
      `Is the Argo CD application controller running? \`kubectl get application ${application} -o yaml\` shows its finalizers.`,
    orphans: left.map((leftover) => ({ ...leftover, node })),
  });
  return 'orphaned';
}

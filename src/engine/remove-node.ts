import type { ResourceRef } from '../core/plan/observed.ts';
import type { Plan, Step } from '../core/plan/plan.ts';
import { appOf, partOf } from '../core/plan/scope.ts';
import type { App, Platform } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import type { Emit } from './event-queue.ts';
import { describeObject, leftBehind } from './left-behind.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';
import { InterruptedError } from './run-control.ts';
import type { Inventory } from './take-inventory.ts';

export interface Removal {
  remove(step: Step, signal: AbortSignal): Promise<NodeState>;
  readonly inventory: Inventory;
  /** Definitions that were kept because nobody asked for their removal. */
  readonly kept: readonly Leftover[];
}

export interface RemovalOrder {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly includeCrds: boolean;
}

/** How often objects that are not Applications are looked at while they go: they have no watch of ours. */
const lookEveryMs = 2_000;

/** Deletes one app with everything it manages and waits until it is gone; what does not go is named with what blocks it. */
export function createRemoval(world: World, emit: Emit, order: RemovalOrder): Removal {
  const kept: Leftover[] = [];

  async function remove(step: Step, signal: AbortSignal): Promise<NodeState> {
    const app = order.platform.apps.get(appOf(step.node)) as App;
    emit({ type: 'node-started', node: step.node, attempt: 1 });
    try {
      const deadline = world.clock.now() + app.timeouts.healthMs;
      return partOf(step.node) === undefined
        ? await removeApp(step, deadline, signal)
        : await removePart(step, deadline, signal);
    } catch (error) {
      if (signal.aborted || error instanceof InterruptedError) return 'running';
      if (!(error instanceof OperatorError)) throw error;
      emit({
        type: 'node-failed',
        node: step.node,
        because: error.message,
        hint: error.hint,
        attempts: 1,
        timedOut: false,
      });
      return 'failed';
    }
  }

  async function removeApp(step: Step, deadline: number, signal: AbortSignal): Promise<NodeState> {
    const managed = order.inventory.objects.get(step.node) ?? [];
    const spared = sparedObjects(order, step, managed);
    await spare(world, spared, signal);
    if (!order.includeCrds)
      kept.push(
        ...spared.filter(isCrd).map((object) => ({
          object: describeObject(object),
          because: 'definitions are kept unless --include-crds is given',
          node: step.node,
        })),
      );
    await world.argocd.cascade(step.application, signal);
    await world.argocd.delete(step.application, signal);
    const going = managed.filter((object) => !spared.includes(object));
    return untilGone(step, { application: step.application, objects: going }, deadline, signal);
  }

  /** Parts outlive their app: others needed them. Now that those are gone, so may they. */
  async function removePart(step: Step, deadline: number, signal: AbortSignal): Promise<NodeState> {
    const objects = (order.inventory.objects.get(step.node) ?? []).filter(
      (object) => order.includeCrds || !isCrd(object),
    );
    for (const object of objects) await world.objects.delete(object, signal);
    return untilGone(step, { application: undefined, objects }, deadline, signal);
  }

  async function untilGone(
    step: Step,
    what: { application: string | undefined; objects: readonly ResourceRef[] },
    deadline: number,
    signal: AbortSignal,
  ): Promise<NodeState> {
    let told = '';
    for (;;) {
      const there = what.application !== undefined && world.argocd.application(what.application) !== undefined;
      const left = there && told === '' ? [] : await leftBehind(world, what.objects, signal);
      if (!there && left.length === 0) {
        emit({ type: 'node-removed', node: step.node, objects: what.objects.length });
        return 'removed';
      }
      const waitingFor =
        left[0] === undefined
          ? `Application ${what.application} to go`
          : `${left[0].object} to go (${left[0].because})`;
      if (waitingFor !== told) emit({ type: 'deletion-progress', node: step.node, waitingFor });
      told = waitingFor;
      if (world.clock.now() >= deadline) return orphaned(step, left);
      await world.argocd.changed(
        what.application ?? step.application,
        Math.min(deadline, world.clock.now() + lookEveryMs),
        signal,
      );
    }
  }

  function orphaned(step: Step, left: readonly Leftover[]): NodeState {
    const first = left[0];
    emit({
      type: 'node-orphaned',
      node: step.node,
      because:
        first === undefined
          ? 'its Application did not go away in time'
          : `${first.object} did not go away: ${first.because}`,
      hint:
        first?.hint ??
        `Is the Argo CD application controller running? \`kubectl get application ${step.application} -o yaml\` shows its finalizers.`,
      orphans: left.map((leftover) => ({ ...leftover, node: step.node })),
    });
    return 'orphaned';
  }

  return { remove, inventory: order.inventory, kept };
}

function isCrd(object: ResourceRef): boolean {
  return object.kind === 'CustomResourceDefinition';
}

/** What must not go with its app: definitions unless asked for, and the objects of parts that something still needs. */
function sparedObjects(order: RemovalOrder, step: Step, managed: readonly ResourceRef[]): ResourceRef[] {
  const parts = order.plan.steps.filter((other) => partOf(other.node) !== undefined && appOf(other.node) === step.node);
  const needed = new Set(parts.flatMap((part) => (order.inventory.objects.get(part.node) ?? []).map(describeObject)));
  return managed.filter((object) => (isCrd(object) && !order.includeCrds) || needed.has(describeObject(object)));
}

/** Argo CD leaves an object alone on deletion when it carries this option; an annotation on the live object is no drift. */
async function spare(world: World, objects: readonly ResourceRef[], signal: AbortSignal): Promise<void> {
  for (const object of objects) {
    const live = await world.objects.read(object, signal);
    const options = live?.metadata.annotations?.[syncOptions] ?? '';
    if (live === undefined || options.split(',').includes('Delete=false')) continue;
    const value = options === '' ? 'Delete=false' : `${options},Delete=false`;
    await world.objects.mergePatch(object, { metadata: { annotations: { [syncOptions]: value } } }, signal);
  }
}

const syncOptions = 'argocd.argoproj.io/sync-options';

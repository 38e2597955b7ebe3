import { isIdle } from '../core/plan/assemble-plan.ts';
import type { Observed, ResourceRef } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import { isKept, planTeardown, type TeardownOptions } from '../core/plan/plan-teardown.ts';
import { partOf } from '../core/platform/node-name.ts';
import type { App, Order, Platform, PvPolicy } from '../core/platform/platform.ts';
import type { Leftover, Outcome, RunEvent } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import type { BarrierResult } from './barrier.ts';
import { dissolveSets, setsOf } from './dissolve-sets.ts';
import type { Emit } from './event-queue.ts';
import { hasRemains } from './has-remains.ts';
import { heldNow } from './held-applications.ts';
import { createHold, type Hold } from './hold.ts';
import { observe } from './observe.ts';
import { OperatorError } from './operator-error.ts';
import { parentsOf, withThoseAbove } from './parents.ts';
import { markNamespaces } from './platform-namespaces.ts';
import type { World } from './ports.ts';
import { refreshAll } from './refresh-all.ts';
import type { RemovalOrder } from './removal-order.ts';
import { removeNode } from './remove-node.ts';
import { type RunControl, tellRun, withLease } from './run-control.ts';
import { countStates, runPlan } from './run-plan.ts';
import { mustKnowChildren } from './strange-children.ts';
import { sweep } from './sweep.ts';
import { takeInventory } from './take-inventory.ts';
import { mustBePossible, protectVolumes } from './volumes.ts';
import { goesWhole, inDoubt, mayBeReleased } from './what-stays.ts';

export interface TeardownOrder extends TeardownOptions {
  readonly platform: Platform;
  readonly runId: string;
  readonly order: Order;
  readonly parallelism: number;
  readonly runTimeoutMs?: number;
  readonly pvPolicy: PvPolicy;
  readonly includeCrds: boolean;
}

/** Takes the platform down: the same way over the reversed graph. A second call continues where the first one stopped. */
export function teardown(world: World, order: TeardownOrder, stop: AbortSignal): AsyncGenerator<RunEvent> {
  return tellRun(world, { stop, runTimeoutMs: order.runTimeoutMs }, (control) => runTeardown(world, order, control));
}

async function runTeardown(world: World, order: TeardownOrder, control: RunControl): Promise<void> {
  const { emit, stop } = control;
  emit({ type: 'phase-started', phase: 'observe', message: 'reading what is there' });
  const observed = await observe(world, order.platform, stop);
  const plan = planTeardown(order.platform, observed, order);
  if (
    isIdle(plan) &&
    !(await hasRemains(world, { platform: order.platform, plan, observed }, order.includeCrds, stop))
  ) {
    tellPlan(emit, order, plan);
    emit({ type: 'phase-started', phase: 'observe', message: 'nothing to do: what may go is gone already' });
    emit({ type: 'run-finished', outcome: 'clean', exitCode: 0 });
    return;
  }
  const { platform } = order;
  const sets = { platform, observed, going: goingOf(plan) };
  await mustBePossible(world, order.pvPolicy, stop);
  await mustKnowChildren(world, { platform, plan, observed }, stop);
  setsOf(sets);
  await withLease(world, control, order.runId, async () => {
    const heldBefore = heldNow(observed);
    const hold = createHold(world, emit, heldBefore);
    const message = 'holding everything, so that nothing removed is healed back';
    emit({ type: 'phase-started', phase: 'quiesce', message });
    await hold.add(quieted(order, plan, observed), stop);
    await dissolveSets(world, emit, sets, stop);
    const settled = await settledPlan(world, order, { hold, heldBefore }, stop);
    const states = tellPlan(emit, order, settled);
    await remove(world, order, { plan: settled, states, hold, heldBefore, control });
  });
}

function goingOf(plan: Plan): string[] {
  return plan.steps.filter((step) => step.action === 'delete').map((step) => step.application);
}

/** Operations that began before the hold may still create what the first plan did not know: wait for them, then plan. */
async function settledPlan(
  world: World,
  order: TeardownOrder,
  { hold, heldBefore }: Held,
  signal: AbortSignal,
): Promise<Plan> {
  await settle(world, hold, signal);
  const { platform } = order;
  const observed = await observe(world, platform, signal);
  const plan = planTeardown(platform, observed, order);
  try {
    await mustKnowChildren(world, { platform, plan, observed }, signal);
  } catch (error) {
    // Nothing has been removed: nothing stays held that was not held before.
    const added = [...hold.held].filter((name) => !heldBefore.has(name));
    if (error instanceof OperatorError) await hold.release(added, signal);
    throw error;
  }
  return plan;
}

async function settle(world: World, hold: Hold, signal: AbortSignal): Promise<void> {
  const deadline = world.clock.now() + settleMs;
  for (const name of hold.held) {
    while (world.argocd.application(name)?.operation !== undefined && world.clock.now() < deadline) {
      await world.argocd.changed(name, deadline, signal);
    }
  }
  const unseen = [...hold.held].filter((name) => isUnseen(world, name));
  await refreshAll(world, unseen, signal);
}

/** What a sync has just made may not have reached Argo CD's cache yet, and a cascade deletes only what it knows. */
function isUnseen(world: World, name: string): boolean {
  const seen = world.argocd.application(name);
  const finishedAt = seen?.lastOperation?.finishedAt;
  // Whole seconds, so the same one proves nothing.
  return finishedAt !== undefined && (seen?.reconciledAt ?? '') <= finishedAt;
}

/** How long a sync under way may take before a teardown goes on without waiting for it. */
const settleMs = 120_000;

async function remove(
  world: World,
  order: TeardownOrder,
  { plan, states, hold, heldBefore, control }: Omit<Walk, 'removal'> & Held,
): Promise<void> {
  const { emit, stop } = control;
  const parents = goesWhole({ plan }) ? parentsOf(order.platform) : [];
  const inventory = await takeInventory(world, { platform: order.platform, plan, parents }, stop);
  await markNamespaces(world, { platform: order.platform.name, namespaces: inventory.namespaces }, stop);
  await protectVolumes(world, emit, { inventory, policy: order.pvPolicy, runId: order.runId }, stop);
  emit({ type: 'phase-started', phase: 'remove', message: 'removing in reverse dependency order' });
  const kept: Leftover[] = [];
  const spared: ResourceRef[] = [];
  const removal: RemovalOrder = {
    platform: order.platform,
    plan,
    inventory,
    includeCrds: order.includeCrds,
    keep: (leftover) => kept.push(leftover),
    spared: (objects) => spared.push(...objects),
  };
  await walk(world, order, { plan, states, removal, control });
  await finish(world, order, { plan, states, removal, control, hold, heldBefore, kept, spared });
}

interface Held {
  readonly hold: Hold;
  /** By whoever came before. */
  readonly heldBefore: ReadonlySet<string>;
}

interface Walk {
  readonly plan: Plan;
  readonly states: Map<string, NodeState>;
  readonly removal: RemovalOrder;
  readonly control: RunControl;
}

interface Walked extends Walk, Held {
  readonly kept: readonly Leftover[];
  readonly spared: readonly ResourceRef[];
}

async function walk(world: World, order: TeardownOrder, { plan, states, removal, control }: Walk): Promise<void> {
  await runPlan(plan, states, control.emit, {
    order: order.order,
    parallelism: order.parallelism,
    stop: control.stop,
    execute: (step, signal) => removeNode(world, control.emit, { ...removal, step }, signal),
  });
}

async function finish(world: World, order: TeardownOrder, walked: Walked): Promise<void> {
  const { removal, control, hold, kept, spared } = walked;
  const { inventory } = removal;
  const { platform, pvPolicy } = order;
  let orphans = 0;
  if (!control.stop.aborted && !control.leaseLost()) {
    const complete = isComplete(order, walked);
    orphans = await sweep(world, control, {
      platform,
      inventory,
      kept,
      spared,
      hold,
      complete,
      released: complete ? [] : await released(world, order, walked),
      leftParts: leftParts(walked),
      pvPolicy,
      includeCrds: order.includeCrds,
    });
  }
  control.emit({ type: 'run-finished', ...verdict(walked, orphans) });
}

/** Of the apps that are there and were kept, or are none of this teardown's business, those that may be Argo CD's again. */
async function released(world: World, { platform }: TeardownOrder, walked: Walk & Held): Promise<string[]> {
  const { plan, states, heldBefore, control } = walked;
  const planned = new Set(plan.steps.map((step) => step.node));
  const stays = (app: App): boolean => !planned.has(app.name) || states.get(app.name) === 'retained';
  const seen = await observe(world, platform, control.stop);
  // While they are held a look starts nothing; what was true when they were held may be long past.
  const answers = await refreshAll(world, inDoubt({ platform, stays, observed: seen, heldBefore }), control.stop);
  const observed = await observe(world, platform, control.stop);
  const applications = [...observed.applications].filter(([name]) => !isSilent(answers.get(name)));
  return mayBeReleased({ platform, stays, observed: { ...observed, applications: new Map(applications) }, heldBefore });
}

function isSilent(answer: BarrierResult | undefined): boolean {
  return answer !== undefined && 'timedOut' in answer;
}

/** Parts that were to go, or were kept, and have not gone, whatever the reason. */
function leftParts({ plan, states }: Walk): ReadonlySet<string> {
  const parts = plan.steps.filter(({ node }) => partOf(node) !== undefined).map(({ node }) => node);
  return new Set(parts.filter((node) => !['removed', 'skipped'].includes(states.get(node) ?? 'pending')));
}

/** Every app of the platform is gone: nothing failed, nothing was kept. */
function isComplete(order: TeardownOrder, { plan, states }: Walk): boolean {
  const { open, bad } = countStates(plan, states);
  const isKeeping = plan.steps.some((step) => states.get(step.node) === 'retained');
  return order.scope.kind === 'platform' && open === 0 && bad === 0 && !isKeeping;
}

function verdict({ plan, states, control }: Walk, orphans: number): { outcome: Outcome; exitCode: number } {
  if (control.timedOut()) return { outcome: 'timeout', exitCode: 4 };
  if (control.stop.aborted || control.leaseLost()) return { outcome: 'failed', exitCode: 1 };
  const isStuck = plan.steps.some((step) => states.get(step.node) === 'orphaned');
  if (orphans > 0 || isStuck) return { outcome: 'orphans', exitCode: 2 };
  return countStates(plan, states).bad > 0 ? { outcome: 'failed', exitCode: 1 } : { outcome: 'clean', exitCode: 0 };
}

function tellPlan(emit: Emit, order: TeardownOrder, plan: Plan): Map<string, NodeState> {
  emit({
    type: 'run-started',
    runId: order.runId,
    plan,
    engine: 'embedded',
    order: order.order,
    parallelism: order.parallelism,
  });
  const states = new Map<string, NodeState>();
  for (const { node, action, reason } of plan.steps) {
    if (action !== 'skip') continue;
    const kept = isKept(reason);
    states.set(node, kept ? 'retained' : 'skipped');
    emit(
      kept
        ? { type: 'node-retained', node, because: reason }
        : { type: 'node-skipped', node, because: reason, evidence: {} },
    );
  }
  return states;
}

/** What goes, and every parent above it, which would heal it back; for a whole platform simply everything that exists. */
function quieted({ platform, scope }: TeardownOrder, plan: Plan, observed: Observed): readonly string[] {
  const apps = scope.kind === 'platform' ? [...platform.apps.values()] : appsOf(platform, plan);
  const above = apps.flatMap(({ application }) => withThoseAbove(platform, application));
  const names = new Set([...(scope.kind === 'platform' ? parentsOf(platform) : []), ...above]);
  return [...names].filter((name) => observed.applications.has(name));
}

function appsOf(platform: Platform, plan: Plan): App[] {
  const there = plan.steps.filter((step) => step.action === 'delete' || isKept(step.reason));
  return there.map((step) => platform.apps.get(step.node)).filter((app) => app !== undefined);
}

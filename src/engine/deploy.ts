import { isIdle } from '../core/plan/assemble-plan.ts';
import type { Observed, ObservedApplication } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import { type PlanOptions, planDeploy } from '../core/plan/plan-deploy.ts';
import { partOf } from '../core/platform/node-name.ts';
import type { RunEvent } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { deployVerdict } from './deploy-verdict.ts';
import type { Emit } from './event-queue.ts';
import { type HandOverOrder, handOver, releasable } from './hand-over.ts';
import { heldNow, toHold } from './held-applications.ts';
import { createHold, type Hold } from './hold.ts';
import { InterruptedError } from './interrupted-error.ts';
import { observe } from './observe.ts';
import { OperatorError } from './operator-error.ts';
import { managersOf, managingParents, withThoseAbove } from './parents.ts';
import { PlanRefusedError } from './plan-refused-error.ts';
import type { World } from './ports.ts';
import { refreshAll } from './refresh-all.ts';
import { missingRoot, type RunControl, tellRun, withLease } from './run-control.ts';
import { runWorkflow, type WorkflowSettings } from './run-workflow.ts';
import { updateChildren } from './update-children.ts';
import { type Walk, type WalkOrder, walkPlan } from './walk-plan.ts';

export interface DeployOrder extends PlanOptions, WalkOrder {
  readonly runTimeoutMs?: number;
  /** Leave the run to Argo Workflows; without it the plan is walked in this process. */
  readonly workflow?: WorkflowSettings;
}

/** Brings the platform up: observe → plan → run. Resuming after a failure is the same call again. */
export function deploy(world: World, order: DeployOrder, stop: AbortSignal): AsyncGenerator<RunEvent> {
  return tellRun(world, { stop, runTimeoutMs: order.runTimeoutMs }, (control) => runDeploy(world, order, control));
}

async function runDeploy(world: World, order: DeployOrder, control: RunControl): Promise<void> {
  const { emit, stop } = control;
  emit({ type: 'phase-started', phase: 'observe', message: 'reading what is there' });
  const observed = await observe(world, order.platform, stop);
  const first = checkedPlan(order, observed);
  const held = heldNow(observed);
  if (isIdle(first) && releasable(world, { platform: order.platform, held, good: goodOf(first) }).length === 0) {
    tellPlan(emit, order, first);
    emit({ type: 'run-finished', outcome: 'success', exitCode: 0 });
    return;
  }
  missingRoot(order.platform, observed);
  if (order.workflow !== undefined) await world.workflows.mustBeReady(stop);
  await withLease(world, control, order.runId, async () => {
    const hold = createHold(world, emit, held);
    emit({ type: 'phase-started', phase: 'hold', message: 'holding back what Argo CD would start by itself' });
    // Before anything is compared again: a comparison that finds a new commit would start every app at once.
    const names = toHold(order.platform, first);
    await hold.add([...names, ...managingParents(world, order.platform, names)], stop);
    const plan = await freshPlan(world, order, { first, hold, heldBefore: held }, control);
    const states = tellPlan(emit, order, plan);
    emit({ type: 'phase-started', phase: 'run', message: 'syncing in dependency order' });
    const walk: Walk = { plan, states, hold, control };
    // Where only the hold is left to be taken back there is no task, and no Workflow without one.
    if (order.workflow !== undefined && !isIdle(plan)) return runWorkflow(world, { ...order, ...order.workflow }, walk);
    try {
      await walkPlan(world, order, walk);
    } finally {
      await hold.settled();
    }
    await finish(world, order, walk);
  });
}

async function finish(world: World, order: DeployOrder, walked: Walk): Promise<void> {
  const { plan, states, hold, control } = walked;
  // A lost lease means that somebody else may be at work: not one more write from us.
  const handedOver =
    control.leaseLost() || (await tryHandOver(world, { platform: order.platform, plan, states, hold }, control));
  const judged = deployVerdict(plan, states, control);
  // Healthy apps that are still held are not what was asked for.
  const { outcome, exitCode } =
    handedOver || judged.exitCode !== 0 ? judged : { outcome: 'partial' as const, exitCode: 2 };
  control.emit({ type: 'run-finished', outcome, exitCode });
}

async function tryHandOver(world: World, order: HandOverOrder, control: RunControl): Promise<boolean> {
  try {
    await handOver(world, order, control);
    return true;
  } catch (error) {
    // Cut short, so that not one more write of ours meets those of who is at work now.
    if (error instanceof InterruptedError && control.leaseLost()) return false;
    if (!(error instanceof OperatorError)) throw error;
    control.emit({
      type: 'warning',
      message: `hand-over is not complete: ${error.message}`,
      hint: 'Run the same command again: it finds everything Healthy and releases what is still held.',
    });
    return false;
  }
}

function checkedPlan(order: DeployOrder, observed: Observed): Plan {
  const plan = planDeploy(order.platform, observed, order);
  if (plan.problems.some(({ severity }) => severity === 'error')) throw new PlanRefusedError(plan);
  return plan;
}

interface Fresh {
  readonly first: Plan;
  readonly hold: Hold;
  readonly heldBefore: ReadonlySet<string>;
}

/**
 * The plan that is run. When there can be none, nothing stays held that was not held before; but for what has a new manifest by now, with
 * those above: released, it would start out of turn.
 */
async function freshPlan(world: World, order: DeployOrder, fresh: Fresh, control: RunControl): Promise<Plan> {
  const { platform, runId } = order;
  const changed = new Set<string>();
  try {
    await updateChildren(world, control.emit, { platform, runId, hold: fresh.hold, changed }, control.stop);
    await compareAgain(world, fresh.first, control);
    return checkedPlan(order, await observe(world, order.platform, control.stop));
  } catch (error) {
    if (error instanceof PlanRefusedError || error instanceof OperatorError) {
      const above = [...changed].flatMap((name) => withThoseAbove(platform, name));
      const staying = new Set([...fresh.heldBefore, ...above, ...managersOf(world, platform, above)]);
      await fresh.hold.release(
        [...fresh.hold.held].filter((name) => !staying.has(name)),
        control.stop,
      );
    }
    throw error;
  }
}

/** What exists is compared again before it is believed: a skip must rest on evidence that is fresh, and passive health can be blind. */
async function compareAgain(world: World, plan: Plan, control: RunControl): Promise<void> {
  const names = new Set(plan.steps.map((step) => step.application));
  const there = [...names].filter((name) => hasAPast(world.argocd.application(name)));
  if (there.length === 0) return;
  const message = `asking Argo CD to compare ${there.length} Applications again`;
  control.emit({ type: 'phase-started', phase: 'observe', message });
  const answers = await refreshAll(world, there, control.stop);
  const silent = [...answers].filter(([, answer]) => 'timedOut' in answer).map(([name]) => name);
  if (silent.length === 0) return;
  throw new OperatorError(`Argo CD did not compare ${silent.slice(0, 5).join(', ')} in time`, {
    hint: 'Is the Argo CD application controller running, and is it not drowning in work?',
  });
}

/** What was never synced is synced whatever a comparison says: there is nothing in it that could be believed too early. */
function hasAPast(seen: ObservedApplication | undefined): boolean {
  return seen !== undefined && (seen.lastOperation !== undefined || seen.sync.status !== 'OutOfSync');
}

function goodOf(plan: Plan): ReadonlySet<string> {
  const done = plan.steps.filter((step) => step.action === 'skip' && partOf(step.node) === undefined);
  return new Set(done.map((step) => step.application));
}

function tellPlan(emit: Emit, order: DeployOrder, plan: Plan): Map<string, NodeState> {
  emit({
    type: 'run-started',
    runId: order.runId,
    plan,
    engine: order.workflow === undefined ? 'embedded' : 'argo-workflows',
    order: order.order,
    parallelism: order.parallelism,
  });
  const states = new Map<string, NodeState>();
  for (const step of plan.steps) {
    if (step.action !== 'skip') continue;
    states.set(step.node, 'skipped');
    emit({ type: 'node-skipped', node: step.node, because: step.reason, evidence: step.evidence ?? {} });
  }
  return states;
}

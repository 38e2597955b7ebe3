import type { Plan, Step } from '../core/plan/plan.ts';
import { nodeGraph } from '../core/platform/node-graph.ts';
import { appOf } from '../core/platform/node-name.ts';
import type { App, Order, Platform } from '../core/platform/platform.ts';
import type { NodeState } from '../core/run/run.ts';
import { type AttemptOrder, attemptNode } from './attempt-node.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { InterruptedError } from './interrupted-error.ts';
import { type AheadOrder, createAhead } from './make-ahead.ts';
import { createParents, firstOnPath, type Parents } from './parents.ts';
import type { World } from './ports.ts';
import { recheckNeeds } from './recheck-needs.ts';
import type { RunControl } from './run-control.ts';
import { runPlan } from './run-plan.ts';

export interface WalkOrder {
  readonly platform: Platform;
  readonly runId: string;
  readonly order: Order;
  readonly parallelism: number;
}

export interface Walk {
  readonly plan: Plan;
  readonly states: Map<string, NodeState>;
  readonly hold: Hold;
  readonly control: RunControl;
}

/** The embedded engine: walks the plan in this process. */
export async function walkPlan(world: World, order: WalkOrder, { plan, states, hold, control }: Walk): Promise<void> {
  const { platform, runId } = order;
  const verified = verifiedNow(world, states);
  const asking = new Map<string, Promise<unknown>>();
  const needsOf = hardNeedsOf(platform);
  const first = firstOnPath(platform, plan);
  const parents = createParents(world, control.emit, { platform, runId, hold, first });
  const over = new AbortController();
  const beside = AbortSignal.any([control.stop, over.signal]);
  const kept = hold.keep(beside);
  const foreseen = foreseeParents(world, { parents, plan, platform }, beside);
  const orderOf = (step: Step): AttemptOrder => ({
    node: step.node,
    app: platform.apps.get(appOf(step.node)) as App,
    environment: platform.environment,
    runId,
    parents,
    hold,
    needs: { hard: needsOf(step), verified, asking },
  });
  const lookAgain: AheadOrder['lookAgain'] = (step, isMeant) => {
    const { needs, ...rest } = orderOf(step);
    const hard = needs.hard.filter(({ name }) => isMeant(name));
    return recheckNeeds(world, quiet, { ...rest, needs: { ...needs, ...lookAhead, hard } }, beside);
  };
  const ahead = createAhead(world, { plan, states, parents, lookAgain, over: beside }, control.stop);
  try {
    await runPlan(plan, states, control.emit, {
      order: order.order,
      parallelism: order.parallelism,
      stop: beside,
      execute: (step, signal) => {
        ahead.started(step.node);
        const onSynced = (): void => ahead.synced(step.node);
        return attemptNode(world, control.emit, { ...orderOf(step), onSynced }, signal);
      },
    });
  } finally {
    // Whoever would need a parent that is not there yet has been blocked; and nothing goes on without the lease.
    over.abort(new InterruptedError('the plan was walked'));
    await Promise.all([foreseen, ahead.settled(), kept]);
    await parents.settled();
  }
}

/**
 * A verdict that is older may be out of date by the time it counts: until the next look, and until a busy Argo CD has answered. One that is
 * not well is not waited for as long as on the turn.
 */
const lookAhead = { freshForMs: 20_000, patienceMs: 20_000 };

/** What is looked at before its turn is told on its turn. */
const quiet: Emit = () => undefined;

/**
 * Starts with the run, beside the first apps: parents are containers, and held like everything under them. Those of apps that may start now
 * come first, together with what is made ahead for the next: each object that an operation brings makes it longer.
 */
export async function foreseeParents(
  world: World,
  { parents, plan, platform }: { readonly parents: Parents; readonly plan: Plan; readonly platform: Platform },
  signal: AbortSignal,
): Promise<void> {
  const skipped = new Set(plan.steps.filter(({ action }) => action === 'skip').map(({ node }) => node));
  const steps = plan.steps.filter(({ action }) => action === 'sync' || action === 'part');
  const appOfStep = ({ node }: Step): App => platform.apps.get(appOf(node)) as App;
  // No longer than an app itself would wait for its parent.
  const patienceMs = Math.min(...steps.map((step) => appOfStep(step).timeouts.syncMs));
  for (const some of [steps.filter(({ after }) => after.every((need) => skipped.has(need))), steps]) {
    const applications = [...new Set(some.map((step) => appOfStep(step).application))];
    await parents.foresee(applications, world.clock.now() + patienceMs, signal);
  }
}

/** What is skipped rests on a comparison made just now. */
function verifiedNow(world: World, states: ReadonlyMap<string, NodeState>): Map<string, number> {
  return new Map([...states.keys()].map((node) => [node, world.clock.now()]));
}

/**
 * The apps a step must not start without, also those outside the scope. A part is there or not, and has no health that could
 * turn; a `once` need that the plan has dropped is met for good.
 */
export function hardNeedsOf(platform: Platform): (step: Step) => App[] {
  const { graph, kindOf } = nodeGraph(platform);
  return (step) => {
    const planned = step.after.filter((need) => step.edges[need] !== 'soft');
    const others = [...(graph.get(step.node) ?? [])].filter((need) => kindOf(step.node, need) === 'hard');
    const names = new Set([...planned, ...others]);
    return [...names].map((need) => platform.apps.get(need)).filter((app) => app !== undefined);
  };
}

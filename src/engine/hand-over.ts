import type { Plan } from '../core/plan/plan.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { NodeState } from '../core/run/run.ts';
import type { BarrierResult } from './barrier.ts';
import type { Hold } from './hold.ts';
import { OperatorError } from './operator-error.ts';
import { managersOf, parentsOf, withThoseAbove } from './parents.ts';
import type { World } from './ports.ts';
import { refreshAll } from './refresh-all.ts';
import type { RunControl } from './run-control.ts';

export interface HandOverOrder {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly states: Map<string, NodeState>;
  readonly hold: Hold;
}

type HandOverControl = Pick<RunControl, 'emit' | 'stop' | 'lost'>;

/** Releasing must not wait for ever, and must not be cut short by the interruption that brought us here; only by somebody who has our lease. */
const releaseMs = 120_000;

/** Gives what is Healthy back to Argo CD's own automation. What is not stays held (INV-4), and so do the parents that would start it. */
export async function handOver(world: World, order: HandOverOrder, control: HandOverControl): Promise<void> {
  const own = new AbortController();
  const until = AbortSignal.any([own.signal, control.lost]);
  const timer = new AbortController();
  void world.clock.sleep(releaseMs, timer.signal).then(
    () =>
      own.abort(
        new OperatorError('hand-over took too long', { hint: 'Is the Argo CD application controller running?' }),
      ),
    () => undefined,
  );
  try {
    const released = releasable(world, { platform: order.platform, held: order.hold.held, good: goodOf(order) });
    if (released.length === 0) return;
    control.emit({
      type: 'phase-started',
      phase: 'release',
      message: `handing ${released.length} Applications over to Argo CD`,
    });
    await order.hold.release(released, until);
    timer.abort();
    // Removing a window triggers nothing by itself: each released Application must be looked at again.
    tellSilent(await refreshAll(world, released, until), control);
    if (!control.stop.aborted) verify(world, order, control);
  } finally {
    timer.abort();
  }
}

function tellSilent(answers: ReadonlyMap<string, BarrierResult>, { emit }: HandOverControl): void {
  const silent = [...answers].filter(([, answer]) => 'timedOut' in answer).map(([name]) => name);
  if (silent.length === 0) return;
  emit({
    type: 'warning',
    message: `released, but Argo CD has not looked at ${silent.length} Applications again: ${silent.slice(0, 5).join(', ')}`,
    hint: 'Is the Argo CD application controller running? Its own periodic look, every few minutes, does the rest.',
  });
}

/**
 * What may leave the hold: apps that are well, parents under which nothing is held or missing any more, and names the platform
 * does not know (any longer): nobody else would ever release them. Whoever brings an AppProject of what stays held stays held, too.
 */
export function releasable(
  world: World,
  { platform, held, good }: { platform: Platform; held: ReadonlySet<string>; good: ReadonlySet<string> },
): string[] {
  const apps = new Set([...platform.apps.values()].map((app) => app.application));
  const parents = new Set(parentsOf(platform));
  const stillHeld = [...apps].filter(
    (name) => (held.has(name) && !good.has(name)) || world.argocd.application(name) === undefined,
  );
  const staying = stillHeld.flatMap((name) => withThoseAbove(platform, name));
  const there = staying.filter((name) => world.argocd.application(name) !== undefined);
  const needed = new Set([...staying, ...managersOf(world, platform, there)]);
  const isWell = (name: string): boolean => parents.has(name) || good.has(name) || !apps.has(name);
  return [...held].filter((name) => isWell(name) && !needed.has(name)).sort();
}

function goodOf({ plan, states }: HandOverOrder): ReadonlySet<string> {
  const good = plan.steps.filter((step) => isGood(states.get(step.node)) && !step.node.includes('#'));
  return new Set(good.map((step) => step.application));
}

function isGood(state: NodeState | undefined): boolean {
  return state === 'healthy' || state === 'skipped';
}

/** R7.6: the last word is the cluster's. An app that has turned bad since its gate is a failure, not a success. */
function verify(world: World, { platform, plan, states }: HandOverOrder, control: HandOverControl): void {
  control.emit({ type: 'phase-started', phase: 'verify', message: 'looking at everything once more' });
  for (const step of plan.steps) {
    const app = platform.apps.get(step.node);
    const health = app === undefined ? 'Healthy' : world.argocd.application(app.application)?.health.status;
    if (app === undefined || !isGood(states.get(step.node)) || health === 'Healthy' || health === 'Progressing')
      continue;
    states.set(step.node, 'failed');
    control.emit({
      type: 'node-failed',
      node: step.node,
      because: `Healthy at its gate, ${health ?? 'gone'} at the end of the run`,
      hint: `Something changed after its turn: \`tiphys explain ${step.node}\` shows its state now.`,
      attempts: 1,
      timedOut: false,
    });
  }
}

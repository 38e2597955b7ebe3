import { findings } from '../core/compliance/findings.ts';
import { orderingHook } from '../core/compliance/ordering-hook.ts';
import type { Observed, ObservedApplication } from '../core/plan/observed.ts';
import { errorConditions, observedVerdict } from '../core/plan/observed-verdict.ts';
import { planDeploy } from '../core/plan/plan-deploy.ts';
import { nodesInScope, type Scope, type ScopeWith } from '../core/plan/scope.ts';
import { nodeGraph } from '../core/platform/node-graph.ts';
import type { App, Platform } from '../core/platform/platform.ts';
import type { Finding } from '../core/report/report.ts';
import type { Outcome, RunEvent } from '../core/run/events.ts';
import type { Evidence } from '../core/run/evidence.ts';
import { observe } from './observe.ts';
import type { World } from './ports.ts';
import { type RunControl, tellRun } from './run-control.ts';

export interface ValidateOrder {
  readonly platform: Platform;
  readonly runId: string;
  readonly scope: Scope;
  readonly with?: ScopeWith;
  readonly runTimeoutMs?: number;
  /** Called once with what was found against the rules. */
  readonly found: (compliance: readonly Finding[]) => void;
}

/** R7.7: health and compliance of what is there. Reads only. */
export function validate(world: World, order: ValidateOrder, stop: AbortSignal): AsyncGenerator<RunEvent> {
  return tellRun(world, { stop, runTimeoutMs: order.runTimeoutMs }, (control) => runValidate(world, order, control));
}

async function runValidate(world: World, order: ValidateOrder, { emit, stop }: RunControl): Promise<void> {
  const { platform } = order;
  emit({ type: 'phase-started', phase: 'observe', message: 'reading what is there' });
  const observed = await observe(world, platform, stop);
  const plan = planDeploy(platform, observed, order);
  const chosen = nodesInScope(platform, nodeGraph(platform).graph, order.scope, order.with);
  const apps = [...platform.apps.values()].filter((app) => chosen.has(app.name));
  emit({
    type: 'run-started',
    runId: order.runId,
    plan: { ...plan, problems: [] },
    engine: 'none',
    order: 'edges',
    parallelism: 0,
  });
  emit({ type: 'phase-started', phase: 'verify', message: `judging ${apps.length} apps` });
  const verdicts: AppHealth[] = [];
  for (const app of apps) {
    const verdict = judge(platform, app, observed);
    verdicts.push(verdict);
    if (verdict.health === 'healthy') emit({ type: 'node-healthy', node: app.name, evidence: verdict.evidence });
    else
      emit({
        type: 'node-failed',
        node: app.name,
        because: verdict.because,
        hint: `tiphys explain ${app.name}`,
        attempts: 0,
        timedOut: false,
      });
  }
  for (const step of plan.steps) {
    if (step.node.includes('#'))
      emit({ type: 'node-skipped', node: step.node, because: 'judged with its app', evidence: step.evidence ?? {} });
  }
  order.found([...findings(platform, observed), ...(await hookFindings(world, { platform, apps, observed }, stop))]);
  emit({ type: 'run-finished', ...outcomeOf(verdicts) });
}

type AppHealth =
  | { readonly health: 'healthy'; readonly evidence: Evidence }
  | { readonly health: 'degraded' | 'failed' | 'missing'; readonly because: string };

function judge(platform: Platform, app: App, observed: Observed): AppHealth {
  const seen = observed.applications.get(app.application);
  if (seen === undefined) return { health: 'missing', because: 'Application missing' };
  const verdict = observedVerdict(app, observed, platform.environment);
  if (verdict.done) return { health: 'healthy', evidence: verdict.evidence };
  return { health: isFailed(seen) ? 'failed' : 'degraded', because: verdict.reason };
}

function isFailed(seen: ObservedApplication): boolean {
  return (
    seen.conditions.some(({ type }) => errorConditions.has(type)) ||
    seen.lastOperation?.phase === 'Failed' ||
    seen.lastOperation?.phase === 'Error'
  );
}

/** R5.8 in exit codes: anything failed, or nothing there at all, is unhealthy; anything else not Healthy is degraded. */
function outcomeOf(verdicts: readonly AppHealth[]): { outcome: Outcome; exitCode: number } {
  const count = (health: AppHealth['health']): number => verdicts.filter((verdict) => verdict.health === health).length;
  if (count('failed') > 0 || (verdicts.length > 0 && count('missing') === verdicts.length))
    return { outcome: 'unhealthy', exitCode: 1 };
  return count('healthy') === verdicts.length
    ? { outcome: 'healthy', exitCode: 0 }
    : { outcome: 'degraded', exitCode: 2 };
}

async function hookFindings(
  world: World,
  { platform, apps, observed }: { platform: Platform; apps: readonly App[]; observed: Observed },
  signal: AbortSignal,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const app of apps) {
    const hooks = (observed.applications.get(app.application)?.resources ?? []).filter((object) => object.hook);
    for (const hook of hooks) {
      const live = await world.objects.read(hook, signal);
      const verdict = orderingHook(platform, app, { kind: hook.kind, name: hook.name, live });
      if (verdict !== undefined) found.push(verdict);
    }
  }
  return found;
}

import { dependentsOf } from '../core/graph/dependents-of.ts';
import { judgeGate } from '../core/health/gate.ts';
import { wantedRevision } from '../core/plan/observed-verdict.ts';
import { nodeGraph } from '../core/platform/node-graph.ts';
import type { App, EdgeKind, Platform } from '../core/platform/platform.ts';
import { ownChecks } from './own-checks.ts';
import type { World } from './ports.ts';
import { type AppStatus, readStatus } from './status.ts';

/** Why an app is where it is. */
export interface Explanation {
  readonly kind: 'Explanation';
  readonly app: AppStatus;
  readonly at: App['at'];
  readonly layer: number | undefined;
  readonly type: App['type'];
  readonly timeouts: App['timeouts'];
  readonly needs: readonly {
    readonly node: string;
    readonly edge: EdgeKind;
    readonly done: boolean;
    readonly because: string | undefined;
  }[];
  readonly neededBy: readonly string[];
  readonly blocksInAll: number;
  /** What its gate says now, in a sentence. */
  readonly gate: string;
}

export async function explain(world: World, platform: Platform, app: App, signal: AbortSignal): Promise<Explanation> {
  const status = await readStatus(world, platform, signal);
  const byName = new Map(status.apps.map((one) => [one.name, one]));
  const { graph, kindOf } = nodeGraph(platform);
  const neededBy = [...graph]
    .filter(([, needs]) => needs.has(app.name))
    .map(([name]) => name)
    .sort();
  return {
    kind: 'Explanation',
    app: byName.get(app.name) as AppStatus,
    at: app.at,
    layer: app.layer,
    type: app.type,
    timeouts: app.timeouts,
    needs: [...(graph.get(app.name) ?? [])].sort().map((node) => {
      const need = byName.get(node.split('#')[0] ?? node);
      return { node, edge: kindOf(app.name, node), done: need?.done === true, because: need?.because };
    }),
    neededBy,
    blocksInAll: dependentsOf(graph, [app.name]).size - 1,
    gate: await gateNow(world, platform, app, signal),
  };
}

async function gateNow(world: World, platform: Platform, app: App, signal: AbortSignal): Promise<string> {
  const seen = world.argocd.application(app.application);
  if (seen === undefined) return 'closed: its Application does not exist yet';
  const checks = await ownChecks(world, app, seen, signal);
  const verdict = judgeGate({
    app,
    seen,
    operationId: seen.lastOperation?.step,
    syncedRevision: undefined,
    wantedRevision: wantedRevision(seen, platform.environment),
    refreshedAt: seen.reconciledAt,
    checks,
  });
  if (verdict.gate === 'open')
    return `open: ${seen.sync.status}, ${seen.health.status}, ${seen.resources.length} resources${checks.map(({ about, verdict: own }) => `; ${about}: ${own.message}`).join('')}`;
  return verdict.gate === 'wait' ? `waits for ${verdict.for}` : `closed: ${verdict.because}. ${verdict.hint}`;
}

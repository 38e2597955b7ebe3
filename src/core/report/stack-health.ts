import { type AggregateHealth, aggregate } from '../health/aggregate.ts';
import type { Report, ReportHealth, ReportNode, ReportStack } from './report.ts';

/** Each stack's nodes counted and their health aggregated (R5.8), in the order of their names. */
export function stackHealth(nodes: readonly ReportNode[], context: HealthContext): readonly ReportStack[] {
  const byStack = new Map<string, ReportNode[]>();
  for (const node of nodes) {
    const known = byStack.get(node.stack);
    if (known === undefined) byStack.set(node.stack, [node]);
    else known.push(node);
  }
  return [...byStack].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => oneStack(name, members, context));
}

/** The platform's health: the same rule over all of its nodes. */
export function platformHealth(nodes: readonly ReportNode[], { failed, action }: HealthContext): ReportHealth {
  const there = nodes.filter(({ state }) => state !== 'removed' && !(action === 'teardown' && state === 'skipped'));
  if (there.length === 0 && nodes.length > 0) return 'Removed';
  return healthWords[aggregate(there.map(({ state }) => (state === 'failed' ? failed : nodeHealth[state])))];
}

export interface HealthContext {
  /** A deploy that gave up on a node failed; a validate that found nothing worse than a degraded one did not. */
  readonly failed: 'failed' | 'degraded';
  /** What a teardown skips was gone already. */
  readonly action: Report['action'];
}

function oneStack(name: string, members: readonly ReportNode[], context: HealthContext): ReportStack {
  const count = (...states: readonly ReportNode['state'][]): number =>
    members.filter(({ state }) => states.includes(state)).length;
  return {
    name,
    health: platformHealth(members, context),
    nodes: members.length,
    done: count('healthy', 'skipped', 'removed', 'retained'),
    failed: count('failed', 'orphaned'),
    blocked: count('blocked'),
    pending: count('pending'),
  };
}

/** A blocked node counts as missing, which R5.8 makes Degraded: nothing says that it is broken, but it is not there. */
const nodeHealth = {
  healthy: 'healthy',
  skipped: 'healthy',
  retained: 'healthy',
  failed: 'failed',
  orphaned: 'failed',
  blocked: 'missing',
  pending: 'progressing',
  removed: 'missing',
} as const satisfies Record<ReportNode['state'], string>;

const healthWords: Record<AggregateHealth, ReportHealth> = {
  healthy: 'Healthy',
  suspended: 'Suspended',
  progressing: 'Progressing',
  unknown: 'Unknown',
  degraded: 'Degraded',
  failed: 'Failed',
};

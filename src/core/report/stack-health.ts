import type { ReportHealth, ReportNode, ReportStack } from './report.ts';

/** Each stack's nodes counted and their health aggregated (R5.8), in the order of their names. */
export function stackHealth(nodes: readonly ReportNode[]): readonly ReportStack[] {
  const byStack = new Map<string, ReportNode[]>();
  for (const node of nodes) {
    const known = byStack.get(node.stack);
    if (known === undefined) byStack.set(node.stack, [node]);
    else known.push(node);
  }
  return [...byStack].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => oneStack(name, members));
}

/** The platform's health: the same rule once more, over its stacks. */
export function platformHealth(stacks: readonly ReportStack[]): ReportHealth {
  return aggregate(stacks.map(({ health }) => health));
}

function oneStack(name: string, members: readonly ReportNode[]): ReportStack {
  const count = (...states: readonly ReportNode['state'][]): number =>
    members.filter(({ state }) => states.includes(state)).length;
  return {
    name,
    health: aggregate(members.map((node) => nodeHealth[node.state])),
    nodes: members.length,
    done: count('healthy', 'skipped', 'removed', 'retained'),
    failed: count('failed', 'orphaned'),
    blocked: count('blocked'),
    pending: count('pending'),
  };
}

/** A blocked node counts as Missing, which R5.8 makes Degraded: nothing says that it is broken, but it is not there. */
const nodeHealth: Record<ReportNode['state'], ReportHealth> = {
  healthy: 'Healthy',
  skipped: 'Healthy',
  retained: 'Healthy',
  failed: 'Failed',
  orphaned: 'Failed',
  blocked: 'Degraded',
  pending: 'Progressing',
  removed: 'Removed',
};

const worstFirst: readonly ReportHealth[] = ['Failed', 'Degraded', 'Progressing', 'Removed'];

function aggregate(healths: readonly ReportHealth[]): ReportHealth {
  return worstFirst.find((health) => healths.includes(health)) ?? 'Healthy';
}

import type { VerdictStatus } from './kinds/verdict.ts';

/** The health of one app, or of a stack or platform made of apps. `failed`: a run tried and gave up. */
export type AggregateHealth = 'healthy' | 'suspended' | 'progressing' | 'unknown' | 'degraded' | 'failed';

/** One health for many (R5.8): the worst decides, and only when all are healthy is the whole healthy. */
export function aggregate(statuses: Iterable<VerdictStatus | 'failed'>): AggregateHealth {
  const seen = new Set(statuses);
  // Nothing seen is nothing proven: an empty stack must not open a gate.
  if (seen.size === 0) return 'unknown';
  if (seen.has('missing')) seen.add('degraded');
  return worstFirst.find((status) => seen.has(status)) ?? 'healthy';
}

/**
 * R5.8 leaves two open. Unknown could not be looked at: no damage is proven, so degraded comes before it, but nothing says
 * that it moves either, so it comes before progressing. Suspended is paused on purpose: not operational, yet nothing is wrong.
 */
const worstFirst: readonly AggregateHealth[] = ['failed', 'degraded', 'unknown', 'progressing', 'suspended', 'healthy'];

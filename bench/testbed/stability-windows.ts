import { stabilityWindowMs } from '../../src/core/health/gate.ts';
import type { RunEvent } from '../../src/core/run/events.ts';

/**
 * Kinds whose check in Argo CD may speak of an older state must be Healthy for a while. For how long, the
 * rule says: what a run waited beyond it is its own. Which they are is read off how long they were Healthy before they counted; the others
 * count at once.
 */
export function stabilityWindows(events: readonly RunEvent[]): ReadonlyMap<string, number> {
  const windows = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'node-healthy') continue;
    const hadToLast = (event.evidence.stableSeconds ?? 0) * 1000 >= stabilityWindowMs;
    windows.set(event.node, hadToLast ? stabilityWindowMs : 0);
  }
  return windows;
}

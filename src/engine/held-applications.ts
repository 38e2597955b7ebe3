import type { Observed } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { Platform } from '../core/platform/platform.ts';
import { withThoseAbove } from './parents.ts';

/**
 * The Applications that are not to start by themselves, and every parent above them, which would create or heal them. What
 * looks done is held too: the comparison that follows may find otherwise, and then it must not start out of turn.
 */
export function toHold(platform: Platform, plan: Plan): ReadonlySet<string> {
  return new Set(plan.steps.flatMap(({ application }) => withThoseAbove(platform, application)));
}

export function heldNow(observed: Pick<Observed, 'projects'>): ReadonlySet<string> {
  return new Set([...observed.projects.values()].flatMap((project) => project.held));
}

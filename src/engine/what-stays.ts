import type { Observed } from '../core/plan/observed.ts';
import { argoVerdict } from '../core/plan/observed-verdict.ts';
import type { Plan } from '../core/plan/plan.ts';
import { isKept } from '../core/plan/plan-teardown.ts';
import type { App, Platform } from '../core/platform/platform.ts';

/** What a teardown has found, and means to do. */
export interface Found {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly observed: Observed;
}

/** Nothing of the platform is to stay: when all apps have gone, their parents go, too. */
export function goesWhole({ plan }: Pick<Found, 'plan'>): boolean {
  return plan.scope === 'platform' && !plan.steps.some((step) => isKept(step.reason));
}

export interface StayingOrder {
  readonly platform: Platform;
  readonly stays: (app: App) => boolean;
  readonly applications: Observed['applications'];
  /** Held before this run. */
  readonly heldBefore: ReadonlySet<string>;
}

/**
 * What stays and may be Argo CD's again: what this run has held; of what was held before only what Argo CD calls done, as after a
 * teardown that was killed. What a deploy has left held was never to start (INV-4).
 */
export function mayBeReleased({ platform, stays, applications, heldBefore }: StayingOrder): string[] {
  const isWell = (app: App): boolean => argoVerdict(app, applications.get(app.application), platform.environment).done;
  return [...platform.apps.values()]
    .filter((app) => applications.has(app.application) && stays(app))
    .filter((app) => !heldBefore.has(app.application) || isWell(app))
    .map((app) => app.application);
}

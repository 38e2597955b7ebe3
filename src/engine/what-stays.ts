import type { Observed } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import { nodeVerdict } from '../core/plan/plan-deploy.ts';
import { isKept } from '../core/plan/plan-teardown.ts';
import { appOf } from '../core/platform/node-name.ts';
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
  readonly observed: Observed;
  /** Held before this run. */
  readonly heldBefore: ReadonlySet<string>;
}

/**
 * What stays and may be Argo CD's again: what this run has held; of what was held before only what is done, and what it needs, too, as after
 * a teardown that was killed. What a deploy has left held was never to start (INV-4).
 */
export function mayBeReleased(order: StayingOrder): string[] {
  const { platform, observed, heldBefore } = order;
  return stayingApps(order)
    .filter((app) => !heldBefore.has(app.application) || isWell(platform, observed, app))
    .map((app) => app.application);
}

/** Those of which an old record may say more than is true: what was held before, and what that needs. */
export function inDoubt(order: StayingOrder): string[] {
  const { platform, observed, heldBefore } = order;
  const apps = stayingApps(order).filter((app) => heldBefore.has(app.application));
  const nodes = apps.flatMap((app) => [app.name, ...hardNeeds(app)]);
  const names = new Set(nodes.map((node) => platform.apps.get(appOf(node))?.application ?? ''));
  return [...names].filter((name) => observed.applications.has(name));
}

function stayingApps({ platform, stays, observed }: StayingOrder): App[] {
  return [...platform.apps.values()].filter((app) => observed.applications.has(app.application) && stays(app));
}

function isWell(platform: Platform, observed: Observed, app: App): boolean {
  return [app.name, ...hardNeeds(app)].every((node) => nodeVerdict(platform, observed, node).done);
}

function hardNeeds({ needs }: App): string[] {
  return needs.filter(({ edge }) => edge === 'hard').map(({ node }) => node);
}

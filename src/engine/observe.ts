import type { Check } from '../core/health/check.ts';
import type { Observed } from '../core/plan/observed.ts';
import { argoVerdict } from '../core/plan/observed-verdict.ts';
import type { Platform } from '../core/platform/platform.ts';
import { inParallel } from './in-parallel.ts';
import { ownChecks } from './own-checks.ts';
import type { World } from './ports.ts';

/**
 * What is there now: Argo CD's record, and our own look at what it calls Healthy (INV-7). A Vault that Argo CD is content with
 * may be sealed, so no plan rests on Argo CD's word alone.
 */
export async function observe(world: World, platform: Platform, signal: AbortSignal): Promise<Observed> {
  const seen = await world.argocd.observe(signal);
  const checks = new Map<string, readonly Check[]>();
  await inParallel([...platform.apps.values()], async (app) => {
    const application = seen.applications.get(app.application);
    if (application === undefined || !argoVerdict(app, application, platform.environment).done) return;
    checks.set(app.application, await ownChecks(world, app, application, signal));
  });
  return { ...seen, checks };
}

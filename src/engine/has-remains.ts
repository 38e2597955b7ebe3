import { isKept } from '../core/plan/plan-teardown.ts';
import type { App } from '../core/platform/platform.ts';
import { isNamespaceWaiting } from './emptied-namespaces.ts';
import { heldNow } from './held-applications.ts';
import { leftDefinitions } from './left-definitions.ts';
import { parentsOf } from './parents.ts';
import type { World } from './ports.ts';
import { type Found, goesWhole, mayBeReleased } from './what-stays.ts';

/** What a run that was cut off has left: emptied namespaces, windows of ours; and parents or definitions when every app is gone. */
export async function hasRemains(
  world: World,
  { platform, plan, observed }: Found,
  includeCrds: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (await isNamespaceWaiting(world, { platform: platform.name, observed }, signal)) return true;
  if (!goesWhole({ plan })) return isHoldingForNothing({ platform, plan, observed });
  if (parentsOf(platform).some((name) => observed.applications.has(name)) || heldNow(observed).size > 0) return true;
  return includeCrds && (await leftDefinitions(world, platform, signal)).length > 0;
}

/** Apps that were kept are held, though they are well. */
function isHoldingForNothing({ platform, plan, observed }: Found): boolean {
  const heldBefore = heldNow(observed);
  const kept = new Set(plan.steps.filter((step) => isKept(step.reason)).map((step) => step.node));
  const stays = (app: App): boolean => kept.has(app.name) && heldBefore.has(app.application);
  return mayBeReleased({ platform, stays, observed, heldBefore }).length > 0;
}

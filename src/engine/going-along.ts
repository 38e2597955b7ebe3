import { applicationAt } from '../core/platform/application-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { World } from './ports.ts';

/** What is to go, and the Applications that Argo CD deletes with it: those that it brings, and what these bring. */
export function goingAlong(world: World, platform: Platform, going: Iterable<string>): readonly string[] {
  const names = new Set(going);
  // A set gives also what joins it while it is walked.
  for (const name of names) {
    for (const object of world.argocd.application(name)?.resources ?? []) {
      const child = applicationAt(object, platform.environment.argocdNamespace);
      if (object.kind === 'Application' && world.argocd.application(child) !== undefined) names.add(child);
    }
  }
  return [...names];
}

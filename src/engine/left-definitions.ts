import type { Platform } from '../core/platform/platform.ts';
import type { LiveObject, World } from './ports.ts';

const trackingId = 'argocd.argoproj.io/tracking-id';

/**
 * CustomResourceDefinitions that an Application of this platform managed and that outlived it: Argo CD never deletes them, and
 * a run that was killed may not have come to it. Argo CD's mark on the object tells whose they were.
 */
export async function leftDefinitions(
  world: World,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly LiveObject[]> {
  const gone = new Set(
    [...platform.apps.values()]
      .map((app) => app.application)
      .filter((name) => world.argocd.application(name) === undefined),
  );
  const all = await world.objects.list(
    { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
    undefined,
    signal,
  );
  return all.filter(({ metadata }) => gone.has(metadata.annotations?.[trackingId]?.split(':')[0] ?? ''));
}

import type { Platform } from '../../src/core/platform/platform.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { refusedLabel } from './annotations.ts';
import type { Pace } from './pace.ts';
import { scriptObject } from './script-object.ts';

/** What Git holds, by folder: exactly what the sandbox's Git holds, with every object's script on it. */
export function publishedObjects(world: World, platform: Platform, pace: Pace): Map<string, readonly KubeObject[]> {
  const folders = new Map<string, readonly KubeObject[]>();
  const take = (path: string, change: (object: KubeObject) => KubeObject = (object) => object): void => {
    const content = world.git.read(path, world.git.head);
    if ('error' in content) throw new Error(`the sandbox has no content for ${path}: ${content.error}`);
    folders.set(path, content.objects.map(change));
  };
  take(paths.root);
  for (const { name } of platform.stacks.values()) take(paths.stack(name));
  for (const app of platform.apps.values()) {
    take(paths.app(app.name), (object) => scriptObject(object, { world, app, pace }));
    const refusal = world.fault(app.name, 'sync-fails');
    const path = paths.app(app.name);
    if (refusal !== undefined) folders.set(path, refused(folders.get(path) ?? [], String(refusal.times ?? 'always')));
  }
  return folders;
}

/** Each refused object counts for itself, so only those that every attempt tries may be refused: what comes first. */
function refused(objects: readonly KubeObject[], times: string): readonly KubeObject[] {
  const first = Math.min(...objects.map(turnOf));
  return objects.map((object) => {
    if (turnOf(object) > first) return object;
    return {
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, [refusedLabel]: times } },
    };
  });
}

function turnOf({ metadata: { annotations = {} } }: KubeObject): number {
  const phase = { PreSync: -1, PostSync: 1 }[annotations['argocd.argoproj.io/hook'] ?? ''] ?? 0;
  return phase * 1000 + Number(annotations['argocd.argoproj.io/sync-wave'] ?? 0);
}

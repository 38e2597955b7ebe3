import type { ResourceRef } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { LiveObject, World } from './ports.ts';

/** Argo CD neither deletes a CustomResourceDefinition nor marks it as managed: when its Application is gone, only this tells whose it was. */
const mark = 'tiphys.dev/platform';
const partMark = 'tiphys.dev/part';

export function isCrd(object: Pick<ResourceRef, 'kind'>): boolean {
  return object.kind === 'CustomResourceDefinition';
}

/** Says on the definition itself which platform brought it, and as which part, before its Application goes. */
export async function markDefinition(
  world: World,
  platform: Platform,
  {
    object,
    live,
    part,
  }: { readonly object: ResourceRef; readonly live: LiveObject; readonly part: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const isMarked = live.metadata.labels?.[mark] === platform.name;
  if (isMarked && (part === undefined || partMarkOf(live) === part)) return;
  const annotations = part === undefined ? {} : { annotations: { [partMark]: part } };
  await world.objects.mergePatch(object, { metadata: { labels: { [mark]: platform.name }, ...annotations } }, signal);
}

/** The part as which it was brought, where others needed it. */
export function partMarkOf(definition: LiveObject): string | undefined {
  return definition.metadata.annotations?.[partMark];
}

/** Definitions of this platform that are there though none of its Applications manages them any more: kept earlier, or left by a run that was killed. */
export async function leftDefinitions(
  world: World,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly LiveObject[]> {
  const kind = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
  const managed = new Set([...platform.apps.values()].flatMap((app) => definitionsOf(world, app.application)));
  const all = await world.objects.list(kind, undefined, signal);
  return all.filter(({ metadata }) => metadata.labels?.[mark] === platform.name && !managed.has(metadata.name));
}

function definitionsOf(world: World, application: string): string[] {
  const resources = world.argocd.application(application)?.resources ?? [];
  return resources.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ name }) => name);
}

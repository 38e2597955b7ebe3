import type { Observed, ResourceRef } from '../core/plan/observed.ts';
import type { LiveObject, World } from './ports.ts';

/** Set on a namespace before a teardown empties it: when its Applications are gone, only this tells the next run whose it was. */
const mark = 'tiphys.dev/platform';

/** Namespaces that a teardown of this platform has begun to empty. */
export async function markedNamespaces(
  world: World,
  platform: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const all = await allNamespaces(world, signal);
  return all.filter((live) => isMarkedFor(live, platform)).map(({ metadata }) => metadata.name);
}

/** undefined: for none. */
export function isMarkedFor({ metadata }: LiveObject, platform: string | undefined): boolean {
  return metadata.labels?.[mark] === platform;
}

export async function markNamespaces(
  world: World,
  order: { readonly platform: string; readonly namespaces: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  for (const { metadata } of await allNamespaces(world, signal)) {
    if (!order.namespaces.includes(metadata.name) || metadata.labels?.[mark] === order.platform) continue;
    const reference = { group: '', kind: 'Namespace', namespace: undefined, name: metadata.name };
    await world.objects.mergePatch(reference, { metadata: { labels: { [mark]: order.platform } } }, signal);
  }
}

/** A namespace that stands in Git itself, instead of being made for an app on the way. */
export function isNamespace({ group, kind }: Pick<ResourceRef, 'group' | 'kind'>): boolean {
  return group === '' && kind === 'Namespace';
}

/** Whether an Application, whoever's it is, still has something there, or brings the namespace itself. */
export function isInUse(namespace: string, { applications }: Pick<Observed, 'applications'>): boolean {
  const isThere = (object: ResourceRef): boolean =>
    object.namespace === namespace || (isNamespace(object) && object.name === namespace);
  return [...applications.values()].some(
    (app) => app.destinationNamespace === namespace || app.resources.some(isThere),
  );
}

export function allNamespaces(world: World, signal: AbortSignal): Promise<readonly LiveObject[]> {
  return world.objects.list({ group: '', kind: 'Namespace' }, undefined, signal);
}

import type { ResourceRef } from '../core/plan/observed.ts';
import { applicationAt } from '../core/platform/application-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import { OperatorError } from './operator-error.ts';
import { parentsOf } from './parents.ts';
import type { World } from './ports.ts';
import { type Found, goesWhole } from './what-stays.ts';

/** Applications that would go with a parent, though dag.yaml does not know them: in no order, and asked by nobody (INV-5). */
export async function mustKnowChildren(
  world: World,
  { platform, plan, observed }: Found,
  signal: AbortSignal,
): Promise<void> {
  if (!goesWhole({ plan })) return;
  for (const parent of parentsOf(platform)) {
    const strange: string[] = [];
    for (const object of observed.applications.get(parent)?.resources ?? [])
      strange.push(...(await strangersIn(world, platform, object, signal)));
    if (strange.length > 0) throw goesAlong(parent, strange);
  }
}

async function strangersIn(
  world: World,
  platform: Platform,
  object: ResourceRef,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (object.kind === 'ApplicationSet') return strangersOf(world, platform, object, signal);
  if (object.kind !== 'Application' || isKnown(platform, object)) return [];
  // Asked of the API: it may be in a namespace that nobody watches.
  return (await world.objects.read(object, signal)) === undefined ? [] : [object.name];
}

/** What a set makes is not among what its parent has. */
async function strangersOf(
  world: World,
  platform: Platform,
  set: ResourceRef,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const all = await world.objects.list({ group: set.group, kind: 'Application' }, set.namespace, signal);
  return all
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ kind, name }) => kind === 'ApplicationSet' && name === set.name),
    )
    .map(({ metadata }) => metadata)
    .filter((application) => !isKnown(platform, application))
    .map(({ name }) => name);
}

function isKnown(platform: Platform, object: Parameters<typeof applicationAt>[0]): boolean {
  const apps = [...platform.apps.values()].map((app) => app.application);
  return [...parentsOf(platform), ...apps].includes(applicationAt(object, platform.environment.argocdNamespace));
}

function goesAlong(parent: string, strange: readonly string[]): OperatorError {
  const more = strange.length > 5 ? ` and ${strange.length - 5} more` : '';
  return new OperatorError(
    `${strange.slice(0, 5).join(', ')}${more} would go with ${parent}, but dag.yaml does not know them`,
    {
      hint: `Add them to dag.yaml, take them out of the Git path of ${parent} first, or name what is to go with --scope: parents stay then.`,
    },
  );
}

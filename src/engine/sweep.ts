import type { ObservedApplication, ResourceRef } from '../core/plan/observed.ts';
import { neededNodes } from '../core/plan/plan-teardown.ts';
import { partOf } from '../core/platform/node-name.ts';
import type { Platform, PvPolicy } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import { unspareLeft } from './emptied-namespaces.ts';
import type { Hold } from './hold.ts';
import { describeObject, leftBehind, referenceOf } from './left-behind.ts';
import { leftDefinitions, partMarkOf } from './left-definitions.ts';
import { parentsOf } from './parents.ts';
import { isInUse, isNamespace } from './platform-namespaces.ts';
import type { LiveObject, World } from './ports.ts';
import { refreshAll } from './refresh-all.ts';
import type { RunControl } from './run-control.ts';
import { spare } from './spare.ts';
import { type Left, sweepNamespaces, untilGone } from './sweep-namespaces.ts';
import { protectLate, sweepVolumes } from './sweep-volumes.ts';
import type { Inventory } from './take-inventory.ts';
import { untilSpared } from './until-spared.ts';

export interface SweepOrder {
  readonly platform: Platform;
  readonly inventory: Inventory;
  readonly kept: readonly Leftover[];
  /** What Argo CD was told to leave. */
  readonly spared: readonly ResourceRef[];
  readonly hold: Hold;
  /** Every app of the platform is gone: the parents and the hold may go too. */
  readonly complete: boolean;
  /** Applications that stay and are well: Argo CD looks after them again. */
  readonly released: readonly string[];
  /** Parts of this run's plan that have not gone. */
  readonly leftParts: ReadonlySet<string>;
  readonly pvPolicy: PvPolicy;
  readonly includeCrds: boolean;
}

const patienceMs = 5 * 60_000;

/** After the apps: parents, hold, namespaces; then what is left against what was there before. Returns how many orphans there are. */
export async function sweep(world: World, control: RunControl, order: SweepOrder): Promise<number> {
  const { emit, stop } = control;
  emit({
    type: 'phase-started',
    phase: 'sweep',
    message: 'removing what held the apps, and looking for what was left',
  });
  const orphans: Leftover[] = [];
  const retained: Leftover[] = [...order.kept];
  if (order.complete) orphans.push(...(await removeParents(world, control, order)));
  else await giveBack(world, control, order);
  const there = await world.argocd.observe(stop);
  const { platform, inventory, pvPolicy: policy } = order;
  // Of the whole platform, whatever this run was about: a definition takes along every object of its kind.
  const staying = new Set([...neededNodes(platform, there), ...order.leftParts]);
  const needed = new Set([...staying].flatMap((node) => partObjects(inventory, node)).map(namespaceOf));
  const unused = inventory.namespaces.filter((name) => !isInUse(name, there) && !needed.has(name));
  const late = await protectLate(world, { inventory, policy, namespaces: unused }, stop);
  const emptied = await sweepNamespaces(world, emit, unused, stop);
  retained.push(...emptied.retained);
  orphans.push(...emptied.orphans);
  const definitions = await sweepDefinitions(world, { ...order, staying }, stop);
  retained.push(...definitions.retained.filter(({ object }) => !retained.some((known) => known.object === object)));
  orphans.push(...definitions.orphans);
  const volumes = await sweepVolumes(world, { inventory, policy, late }, stop);
  retained.push(...volumes.retained);
  orphans.push(...volumes.orphans);
  await unspareLeft(world, { platform: platform.name, spared: order.spared, there }, stop);
  if (retained.length > 0) emit({ type: 'retained', objects: retained });
  if (orphans.length > 0) emit({ type: 'orphans', objects: orphans });
  return orphans.length;
}

function partObjects({ objects }: Inventory, node: string): readonly ResourceRef[] {
  return partOf(node) === undefined ? [] : (objects.get(node) ?? []);
}

/** In which it is, or which it is. */
function namespaceOf(object: ResourceRef): string | undefined {
  return isNamespace(object) ? object.name : object.namespace;
}

/** When every app is gone. */
async function removeParents(
  world: World,
  { emit, stop }: RunControl,
  { platform, hold, inventory }: SweepOrder,
): Promise<readonly Leftover[]> {
  const orphans: Leftover[] = [];
  for (const parent of parentsOf(platform)) orphans.push(...(await removeParent(world, parent, stop)));
  await hold.release([...hold.held], stop);
  if (platform.root === undefined) return orphans;
  emit({
    type: 'warning',
    message: `the root Application ${platform.root} went with the platform`,
    hint: inventory.isBootstrapped
      ? 'The next deploy brings it back, held, as the bootstrap did.'
      : 'Before the next deploy apply it again while a deny sync window names it; the README shows how, under “A real cluster”.',
  });
  return orphans;
}

/** When something stays. */
async function giveBack(world: World, { emit, stop }: RunControl, { hold, released }: SweepOrder): Promise<void> {
  await hold.release(released, stop);
  await refreshAll(world, released, stop);
  emit({
    type: 'warning',
    message: 'the parents of what was removed stay held: released, they would create it again',
    hint: 'Run teardown again to go on, or deploy to bring everything back.',
  });
}

/** Definitions whose Application is gone: kept, or removed when that was asked for. */
async function sweepDefinitions(
  world: World,
  order: SweepOrder & { readonly staying: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<Left> {
  const all = await leftDefinitions(world, order.platform, signal);
  const because = (definition: LiveObject): string | undefined => {
    if (order.staying.has(partMarkOf(definition) ?? '')) return 'something that is still there needs it';
    return order.includeCrds ? undefined : 'definitions are kept unless --include-crds is given';
  };
  const left = all.filter((definition) => because(definition) === undefined).map(referenceOf);
  const retained = all.flatMap((definition) => {
    const reason = because(definition);
    return reason === undefined ? [] : [{ object: describeObject(referenceOf(definition)), because: reason }];
  });
  for (const definition of left) await world.objects.delete(definition, signal);
  return { orphans: await untilGone(world, left, signal), retained };
}

async function removeParent(world: World, parent: string, signal: AbortSignal): Promise<readonly Leftover[]> {
  const seen = world.argocd.application(parent);
  if (seen === undefined) return [];
  await spareNamespaces(world, seen, signal);
  await world.argocd.cascade(parent, signal);
  await world.argocd.delete(parent, signal);
  const deadline = world.clock.now() + patienceMs;
  while (world.argocd.application(parent) !== undefined) {
    if (world.clock.now() >= deadline)
      return [
        {
          object: `Application ${parent}`,
          because: 'it did not go away in time',
          hint: 'Is the Argo CD application controller running?',
        },
      ];
    await world.argocd.changed(parent, deadline, signal);
  }
  return leftBehind(
    world,
    seen.resources.filter((object) => object.kind !== 'Application' && !isNamespace(object)),
    signal,
  );
}

/** With a namespace goes all that anybody has in it: it is left to the sweep, which looks first. */
async function spareNamespaces(world: World, parent: ObservedApplication, signal: AbortSignal): Promise<void> {
  const spared: ResourceRef[] = [];
  for (const object of parent.resources.filter(isNamespace)) {
    const live = await world.objects.read(object, signal);
    if (live !== undefined && (await spare(world, object, live, signal))) spared.push(object);
  }
  await untilSpared(world, parent.name, spared, signal);
}

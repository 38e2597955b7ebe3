import type { Platform, PvPolicy } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import type { Hold } from './hold.ts';
import { describeObject, leftBehind, referenceOf } from './left-behind.ts';
import { leftDefinitions } from './left-definitions.ts';
import { parentsOf } from './parents.ts';
import { isInUse } from './platform-namespaces.ts';
import type { World } from './ports.ts';
import { refreshAll } from './refresh-all.ts';
import type { RunControl } from './run-control.ts';
import { sweepNamespaces, untilGone } from './sweep-namespaces.ts';
import type { Inventory } from './take-inventory.ts';
import { volumeReference } from './volumes.ts';

export interface SweepOrder {
  readonly platform: Platform;
  readonly inventory: Inventory;
  readonly kept: readonly Leftover[];
  readonly hold: Hold;
  /** Every app of the platform is gone: the parents and the hold may go too. */
  readonly complete: boolean;
  /** Applications that are to stay: Argo CD looks after them again. */
  readonly staying: readonly string[];
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
  if (order.complete) {
    for (const parent of parentsOf(order.platform)) orphans.push(...(await removeParent(world, parent, stop)));
    await order.hold.release([...order.hold.held], stop);
    if (order.platform.root !== undefined) {
      emit({
        type: 'warning',
        message: `the root Application ${order.platform.root} went with the platform`,
        hint: order.inventory.isBootstrapped
          ? 'The next deploy brings it back, held, as the bootstrap did.'
          : 'Before the next deploy apply it again while a deny sync window names it; the README shows how, under “A real cluster”.',
      });
    }
  } else {
    await order.hold.release(order.staying, stop);
    await refreshAll(world, order.staying, stop);
    emit({
      type: 'warning',
      message: 'the parents of what was removed stay held: released, they would create it again',
      hint: 'Run teardown again to go on, or deploy to bring everything back.',
    });
  }
  const there = await world.argocd.observe(stop);
  const unused = order.inventory.namespaces.filter((name) => !isInUse(name, there));
  orphans.push(...(await sweepNamespaces(world, emit, unused, stop)));
  const definitions = await sweepDefinitions(world, order, stop);
  retained.push(...definitions.retained.filter(({ object }) => !retained.some((known) => known.object === object)));
  orphans.push(...definitions.orphans);
  const volumes = await remainingVolumes(world, order, stop);
  retained.push(...volumes.retained);
  orphans.push(...volumes.orphans);
  if (retained.length > 0) emit({ type: 'retained', objects: retained });
  if (orphans.length > 0) emit({ type: 'orphans', objects: orphans });
  return orphans.length;
}

/** Definitions whose Application is gone: kept, or removed when that was asked for. */
async function sweepDefinitions(world: World, order: SweepOrder, signal: AbortSignal): Promise<Left> {
  const left = (await leftDefinitions(world, order.platform, signal)).map(referenceOf);
  if (!order.includeCrds) {
    const because = 'definitions are kept unless --include-crds is given';
    return { orphans: [], retained: left.map((definition) => ({ object: describeObject(definition), because })) };
  }
  for (const definition of left) await world.objects.delete(definition, signal);
  return { orphans: await untilGone(world, left, signal), retained: [] };
}

async function removeParent(world: World, parent: string, signal: AbortSignal): Promise<readonly Leftover[]> {
  const seen = world.argocd.application(parent);
  if (seen === undefined) return [];
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
    seen.resources.filter((object) => object.kind !== 'Application'),
    signal,
  );
}

interface Left {
  readonly orphans: readonly Leftover[];
  readonly retained: readonly Leftover[];
}

async function remainingVolumes(world: World, order: SweepOrder, signal: AbortSignal): Promise<Left> {
  const retained: Leftover[] = [];
  const orphans: Leftover[] = [];
  for (const volume of order.inventory.volumes) {
    const live = await world.objects.read(volumeReference(volume), signal);
    if (live === undefined) continue;
    const object = `PersistentVolume ${volume.metadata.name}`;
    if (order.pvPolicy === 'retain') retained.push({ object, because: 'pv-policy retain keeps the data' });
    else if ((live['status'] as { phase?: string } | undefined)?.phase !== 'Bound') {
      await world.objects.delete(volumeReference(volume), signal);
    } else orphans.push({ object, because: 'it is still bound', hint: `kubectl delete pv ${volume.metadata.name}` });
  }
  return { orphans, retained };
}

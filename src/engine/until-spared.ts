import type { ResourceRef } from '../core/plan/observed.ts';
import { barrier } from './barrier.ts';
import { describeObject } from './left-behind.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';

/** Argo CD hears of a change within a second; on a busy machine it may take a few. */
const patienceMs = 60_000;

/**
 * Waits until Argo CD's own record says that it knows what was told to stay: it deletes by what it has heard, and would take along what it
 * has heard too late. The record also keeps it from deleting those by itself.
 */
export async function untilSpared(
  world: World,
  application: string,
  spared: readonly ResourceRef[],
  signal: AbortSignal,
): Promise<void> {
  const names = new Set(spared.map(describeObject));
  const unheard = (): ResourceRef | undefined =>
    world.argocd.application(application)?.resources.find((one) => names.has(describeObject(one)) && !one.confirm);
  const deadline = world.clock.now() + patienceMs;
  while (names.size > 0) {
    await barrier(world, application, deadline, signal);
    const late = unheard();
    if (late === undefined) return;
    if (world.clock.now() >= deadline) throw notHeard(late);
    await world.argocd.changed(application, Math.min(deadline, world.clock.now() + lookEveryMs), signal);
  }
}

const lookEveryMs = 500;

function notHeard(object: ResourceRef): OperatorError {
  return new OperatorError(
    `Argo CD did not notice within ${patienceMs / 1000} s that ${describeObject(object)} must stay`,
    {
      hint: 'Its Application was not deleted. Is the Argo CD application controller running? The next teardown continues.',
    },
  );
}

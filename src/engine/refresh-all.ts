import { type BarrierResult, barrier } from './barrier.ts';
import { inParallel } from './in-parallel.ts';
import type { World } from './ports.ts';

const patienceMs = 60_000;

/** Has each of these Applications compared afresh; name → answer. */
export async function refreshAll(
  world: World,
  applications: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BarrierResult>> {
  const answers = new Map<string, BarrierResult>();
  await inParallel(applications, async (name) => {
    answers.set(name, await barrier(world, name, world.clock.now() + patienceMs, signal));
  });
  return answers;
}

import { type BarrierResult, barrierUntil } from './barrier.ts';
import { inParallel } from './in-parallel.ts';
import type { World } from './ports.ts';

/** How long all of them may be silent. */
const patienceMs = 60_000;

/** Has each of these Applications compared afresh; name → answer. Patience begins anew with every answer: slow is not dead. */
export async function refreshAll(
  world: World,
  applications: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BarrierResult>> {
  const answers = new Map<string, BarrierResult>();
  let deadline = world.clock.now() + patienceMs;
  await inParallel(applications, async (name) => {
    const answer = await barrierUntil(world, name, () => deadline, signal);
    answers.set(name, answer);
    if (!('timedOut' in answer)) deadline = world.clock.now() + patienceMs;
  });
  return answers;
}

import { barrier, type BarrierResult } from './barrier.ts';
import type { World } from './ports.ts';

/** How many comparisons we ask for at once: enough to keep the controller busy, few enough not to drown it. */
const atOnce = 20;
const patienceMs = 60_000;

/** Has each of these Applications compared afresh; name → answer. */
export async function refreshAll(
  world: World,
  applications: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BarrierResult>> {
  const answers = new Map<string, BarrierResult>();
  const queue = [...applications];
  const worker = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      answers.set(name, await barrier(world, name, world.clock.now() + patienceMs, signal));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return answers;
}

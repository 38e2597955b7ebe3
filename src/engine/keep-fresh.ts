import type { World } from './ports.ts';

export interface FreshOrder {
  readonly isWaiting: () => boolean;
  /** Looks once more at those needs whose verdict is not young. */
  readonly lookAgain: () => Promise<unknown>;
}

const lookEveryMs = 5_000;
/** Who has waited for longer does not mind a second more, and hours of it would be many requests. */
const longestMs = 300_000;

/**
 * Keeps the verdicts on an app's needs young while it waits for the last of them, so that on its turn none has to be compared once more:
 * a comparison takes a busy Argo CD up to a second, which would lie between two apps.
 */
export async function keepFresh(
  world: World,
  { isWaiting, lookAgain }: FreshOrder,
  signal: AbortSignal,
): Promise<void> {
  const until = world.clock.now() + longestMs;
  while (isWaiting() && world.clock.now() < until) {
    // What goes wrong here goes wrong again on its turn, and is told then.
    await lookAgain().catch(() => undefined);
    await world.clock.sleep(lookEveryMs, signal);
  }
}

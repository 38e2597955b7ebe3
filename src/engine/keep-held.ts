import type { Emit } from './event-queue.ts';
import { OperatorError } from './operator-error.ts';
import type { HeldProject, World } from './ports.ts';

export interface KeeperOrder {
  readonly isLacking: (projects: readonly HeldProject[]) => boolean;
  /** Writes what they lack. */
  readonly cover: (signal: AbortSignal) => Promise<void>;
}

export interface Keeper {
  /** Until the signal is aborted. Never fails: that nothing can be watched is told, and thrown to whoever asks. */
  keep(signal: AbortSignal): Promise<void>;
  /** Waits until the watch has begun, where it was asked for; throws why it could not, or cannot any more. */
  mustWatch(): Promise<void>;
}

/** So long the watch may take to show what has just been written. */
const breathMs = 200;
const againMs = 5_000;

/** Covers AppProjects as soon as a watch shows that they lack something. */
export function createKeeper(world: World, emit: Emit, { isLacking, cover }: KeeperOrder): Keeper {
  let watching: Promise<void> = Promise.resolve();

  function watch(begun: Promise<void>): Promise<void> {
    watching = begun;
    // Whoever asks hears of it.
    begun.catch(() => undefined);
    return begun;
  }

  async function keepCovered(signal: AbortSignal): Promise<never> {
    await watch(world.argocd.projectsUntil(() => true, signal));
    for (;;) {
      await world.argocd.projectsUntil(isLacking, signal);
      // What cannot be written is tried again, and told by those who wait for it.
      const pauseMs = await cover(signal).then(
        () => breathMs,
        () => againMs,
      );
      await world.clock.sleep(pauseMs, signal);
    }
  }

  return {
    keep: (signal) =>
      keepCovered(signal).catch((error: unknown) => {
        if (signal.aborted) return;
        void watch(Promise.reject(error));
        if (error instanceof OperatorError) emit({ type: 'warning', message: error.message, hint: error.hint });
      }),
    mustWatch: () => watching,
  };
}

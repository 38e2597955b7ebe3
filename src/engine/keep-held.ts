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
  mustWatch(): void;
}

/** So long the watch may take to show what has just been written. */
const breathMs = 200;
const againMs = 5_000;

/** Covers AppProjects as soon as a watch shows that they lack something. */
export function createKeeper(world: World, emit: Emit, { isLacking, cover }: KeeperOrder): Keeper {
  let unwatched: { readonly because: unknown } | undefined;
  return {
    async keep(signal) {
      try {
        for (;;) {
          await world.argocd.projectsUntil(isLacking, signal);
          // What cannot be written is tried again, and told by those who wait for it.
          const pauseMs = await cover(signal).then(
            () => breathMs,
            () => againMs,
          );
          await world.clock.sleep(pauseMs, signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        unwatched = { because: error };
        if (error instanceof OperatorError) emit({ type: 'warning', message: error.message, hint: error.hint });
      }
    },
    mustWatch() {
      if (unwatched !== undefined) throw unwatched.because;
    },
  };
}

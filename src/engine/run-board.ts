import { isOver } from '../core/workflow/workflow-view.ts';
import type { World } from './ports.ts';
import { readWhole, wholeMoved } from './whole-workflow.ts';

/** How the tasks of a run have ended, also those in its other Workflows. */
export interface RunBoard {
  /** Resolves when this node's task has ended: did it succeed? */
  ended(node: string, signal: AbortSignal): Promise<boolean>;
  /** Resolves when all Workflows but the first are over. */
  othersOver(signal: AbortSignal): Promise<void>;
}

/** One look per change for all who wait: a thousand steps must not read a thousand Workflows each. */
export function createRunBoard(world: World, names: readonly string[], life: AbortSignal): RunBoard {
  const ends = new Map<string, boolean>();
  const waiting = new Set<() => void>();
  let isAlone = false;
  let isGone = false;

  async function look(): Promise<void> {
    while (!life.aborted) {
      const whole = await readWhole(world, names, life);
      isGone = whole === undefined;
      isAlone = whole?.parts.slice(1).every(isOver) ?? true;
      for (const [node, { phase }] of whole?.view.tasks ?? []) {
        if (hasEnded(phase)) ends.set(node, phase === 'Succeeded');
      }
      for (const wake of [...waiting]) wake();
      if (whole === undefined) return;
      await wholeMoved(world, whole, Number.POSITIVE_INFINITY, life);
    }
  }

  const looking = look();
  // Who waits hears of it; when nobody does, the run is over.
  looking.catch(() => undefined);

  async function until<R>(answer: () => R | undefined, signal: AbortSignal): Promise<R> {
    for (;;) {
      const found = answer();
      if (found !== undefined) return found;
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      await Promise.race([woken, looking]);
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      signal.throwIfAborted();
      life.throwIfAborted();
    }
  }

  return {
    ended: (node, signal) => until(() => ends.get(node) ?? (isGone ? false : undefined), signal),
    othersOver: async (signal) => void (await until(() => (isAlone ? true : undefined), signal)),
  };
}

function hasEnded(phase: string): boolean {
  return isOver({ phase }) || phase === 'Omitted' || phase === 'Skipped';
}

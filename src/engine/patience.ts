import type { Queue, World } from './ports.ts';

/** How long to wait for an answer of Argo CD before a request is made again. */
export interface Patience {
  /** Something has happened: the wait begins anew. */
  begin(): void;
  isOver(): boolean;
  /** The request was made again: the next time is further away; a little where it does not stand in line any more. */
  repeated(where?: Where): void;
  /** When to look whether it is over. */
  lookAt(): number;
}

type Where = 'in line' | 'under way';

/** A change of ours can be overlooked by the controller's cache; after this long without an answer we touch the object again. */
const overlookedMs = 2_000;
/** So many are worked on at once unless Argo CD is told otherwise; the others stand in line. */
const atOnce: Readonly<Record<Queue, number>> = { operations: 10, comparisons: 20 };
/**
 * Each time the wait is so many times as long. What stands in line only makes the line slower by asking; what is under way and waits for
 * definitions goes on at the first touch after Argo CD has read the cluster anew, whenever that may be.
 */
const longer: Readonly<Record<Where, number>> = { 'in line': 2, 'under way': 1.25 };
/** So many times as long as most others took, and it is no longer usual. */
const usual = 2;
const longestMs: Readonly<Record<Queue, number>> = { operations: 30_000, comparisons: 16_000 };

/**
 * Where hundreds stand in line before Argo CD, or where it is slow, it is only their turn that has not come, and each repetition
 * makes the line move slower. Never longer than `longestMs`: it is a guess, and one that was overlooked must not wait for ever.
 */
export function createPatience({ clock, argocd }: World, queue: Queue): Patience {
  let since = clock.now();
  let pauseMs = overlookedMs;

  function overAt(): number {
    const { length, tookMs } = argocd.line(queue);
    const slower = Math.max(1, length / atOnce[queue], (usual * tookMs) / overlookedMs);
    return since + Math.min(pauseMs * slower, longestMs[queue]);
  }

  return {
    begin() {
      since = clock.now();
      pauseMs = overlookedMs;
    },
    // The line is counted only where it matters.
    isOver: () => clock.now() >= since + pauseMs && clock.now() >= overAt(),
    repeated(where = 'in line') {
      since = clock.now();
      pauseMs = Math.min(longer[where] * pauseMs, longestMs[queue]);
    },
    // The line may have become short meanwhile.
    lookAt() {
      const now = clock.now();
      return now < since + pauseMs ? since + pauseMs : Math.min(overAt(), now + overlookedMs);
    },
  };
}

import type { World } from './ports.ts';

/** How long to wait for an answer of Argo CD before a request is made again. */
export interface Patience {
  /** Something has happened: the wait begins anew. */
  begin(): void;
  isOver(): boolean;
  /** The request was made again: the next time is further away, up to `longestMs`. */
  repeated(longestMs: number): void;
  /** When to look whether it is over. */
  lookAt(): number;
}

/** A change of ours can be overlooked by the controller's cache; after this long without an answer we touch the object again. */
const overlookedMs = 2_000;
/** Argo CD works on so many operations at once unless told otherwise; the others stand in line. */
const atOnce = 10;

/** Where hundreds stand in line before Argo CD it is only their turn that has not come, and each repetition would make the line move slower. */
export function createPatience({ clock, argocd }: World): Patience {
  let since = clock.now();
  let pauseMs = overlookedMs;
  const overAt = (): number => since + pauseMs * Math.max(1, argocd.unanswered() / atOnce);
  return {
    begin() {
      since = clock.now();
      pauseMs = overlookedMs;
    },
    isOver: () => clock.now() >= overAt(),
    repeated(longestMs) {
      since = clock.now();
      pauseMs = Math.min(2 * pauseMs, longestMs);
    },
    // The line may have become short meanwhile.
    lookAt: () => Math.min(overAt(), Math.max(since, clock.now()) + pauseMs),
  };
}

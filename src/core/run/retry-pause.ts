import type { Retries } from '../platform/platform.ts';

const longestMs = 5 * 60_000;

/** How long to wait after this attempt has failed: twice as long each time, up to five minutes. */
export function retryPauseMs({ backoffMs }: Retries, attempt: number): number {
  return Math.min(longestMs, backoffMs * 2 ** (attempt - 1));
}

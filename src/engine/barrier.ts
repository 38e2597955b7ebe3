import { overlookedMs } from './operation.ts';
import type { World } from './ports.ts';

/** When the comparison we asked for was answered, or why it was not. */
export type BarrierResult = { readonly refreshedAt: string } | { readonly missing: true } | { readonly timedOut: true };

const longestPauseMs = 16_000;

/**
 * Asks for a comparison and waits until one that began after the request was written. Argo CD removes the annotation in the
 * patch that writes the new status; a request that was overlooked is repeated with a new nonce.
 */
export function barrier(
  world: World,
  application: string,
  deadline: number,
  signal: AbortSignal,
): Promise<BarrierResult> {
  return barrierUntil(world, application, () => deadline, signal);
}

/** The same with a deadline that may move: asked again at each look. */
export async function barrierUntil(
  world: World,
  application: string,
  deadlineNow: () => number,
  signal: AbortSignal,
): Promise<BarrierResult> {
  if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
  // Ever more seldom: a controller that is behind gets further behind with every request.
  let pauseMs = overlookedMs;
  let repeatAt = world.clock.now() + pauseMs;
  for (;;) {
    const seen = world.argocd.application(application);
    if (seen === undefined) return { missing: true };
    const now = world.clock.now();
    if (!seen.refreshRequested) return { refreshedAt: new Date(now).toISOString() };
    const deadline = deadlineNow();
    if (now >= deadline) return { timedOut: true };
    if (now >= repeatAt) {
      if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      repeatAt = now + pauseMs;
      continue;
    }
    await world.argocd.changed(application, Math.min(deadline, repeatAt), signal);
  }
}

import { overlookedMs } from './operation.ts';
import type { World } from './ports.ts';

/** When the comparison we asked for was answered, or why it was not. */
export type BarrierResult = { readonly refreshedAt: string } | { readonly missing: true } | { readonly timedOut: true };

/**
 * Asks for a comparison and waits until one that began after the request was written. Argo CD removes the annotation in the
 * patch that writes the new status; a request that was overlooked is repeated with a new nonce.
 */
export async function barrier(
  world: World,
  application: string,
  deadline: number,
  signal: AbortSignal,
): Promise<BarrierResult> {
  if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
  let repeatAt = world.clock.now() + overlookedMs;
  for (;;) {
    const seen = world.argocd.application(application);
    if (seen === undefined) return { missing: true };
    const now = world.clock.now();
    if (!seen.refreshRequested) return { refreshedAt: new Date(now).toISOString() };
    if (now >= deadline) return { timedOut: true };
    if (now >= repeatAt) {
      if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
      repeatAt = now + overlookedMs;
      continue;
    }
    await world.argocd.changed(application, Math.min(deadline, repeatAt), signal);
  }
}

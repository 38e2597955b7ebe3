import type { ObservedApplication } from '../core/plan/observed.ts';
import { createPatience } from './patience.ts';
import type { World } from './ports.ts';

/** When the comparison we asked for was answered, or why it was not. */
export type BarrierResult = { readonly refreshedAt: string } | { readonly missing: true } | { readonly timedOut: true };

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
  // What answers somebody's request may have begun before ours: the annotation is one for all.
  const isForOthers = world.argocd.application(application)?.refreshRequested === true;
  const first = await answer(world, application, deadlineNow, signal);
  return isForOthers && 'refreshedAt' in first ? answer(world, application, deadlineNow, signal) : first;
}

async function answer(
  world: World,
  application: string,
  deadlineNow: () => number,
  signal: AbortSignal,
): Promise<BarrierResult> {
  if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
  const patience = createPatience(world, 'comparisons');
  for (;;) {
    const seen = world.argocd.application(application);
    if (seen === undefined) return { missing: true };
    const now = world.clock.now();
    if (!seen.refreshRequested) return { refreshedAt: new Date(now).toISOString() };
    const deadline = deadlineNow();
    if (now >= deadline) return { timedOut: true };
    if (patience.isOver()) {
      if ((await world.argocd.refresh(application, world.newId(), signal)) === 'missing') return { missing: true };
      patience.repeated();
      continue;
    }
    await world.argocd.changed(application, Math.min(deadline, patience.lookAt()), signal);
  }
}

/**
 * For one that appeared only now: Argo CD compares what is new without being asked, so its first record is as young as an answer would be,
 * and there a comparison earlier. What does not come, or is an error, is asked for.
 */
export async function firstComparison(
  world: World,
  application: string,
  deadline: number,
  signal: AbortSignal,
): Promise<BarrierResult> {
  const patience = createPatience(world, 'comparisons');
  for (;;) {
    const seen = world.argocd.application(application);
    const now = world.clock.now();
    if (seen !== undefined && isCompared(seen)) return { refreshedAt: new Date(now).toISOString() };
    const isWrong = seen === undefined || seen.reconciledAt !== undefined || seen.conditions.some(isError);
    if (isWrong || patience.isOver()) return barrier(world, application, deadline, signal);
    if (now >= deadline) return { timedOut: true };
    await world.argocd.changed(application, Math.min(deadline, patience.lookAt()), signal);
  }
}

/** By Argo CD, since it was created: a manifest may bring a status of its own along, and where nothing could be read nothing is listed. */
function isCompared({ createdAt, reconciledAt, sync, conditions }: ObservedApplication): boolean {
  const isYoung = createdAt !== undefined && reconciledAt !== undefined && reconciledAt >= createdAt;
  return isYoung && sync.status !== 'Unknown' && !conditions.some(isError);
}

function isError({ type }: { readonly type: string }): boolean {
  return type.endsWith('Error');
}

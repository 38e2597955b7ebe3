import type { ObservedApplication } from '../core/plan/observed.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import { outlast } from './outlast.ts';
import type { World } from './ports.ts';

/** How long after a stop the cluster may take to hear of it. */
export const graceMs = 5_000;

/** What Argo CD says of an operation, if it says it of this one. */
export function messageOf(seen: ObservedApplication, operationId: string): string {
  return seen.lastOperation?.step === operationId ? seen.lastOperation.message : '';
}

/** Nothing was done for it, as far as Argo CD has written down; it does so at the end of each pass. */
export function isUntouched(seen: ObservedApplication, operationId: string): boolean {
  return messageOf(seen, operationId) === '' || isBlocked(seen, operationId);
}

export interface OwnOperation {
  readonly application: string;
  readonly operationId: string;
  /** It was sent, and nobody knows whether it arrived. */
  readonly isUnsure?: boolean;
}

/**
 * After a stop: what was asked for and not taken up would begin when nobody waits for it any more. What Argo CD has taken up
 * is left to it, and everything to whoever goes on with the run.
 */
export async function takeBack(world: World, own: OwnOperation, stopped: AbortSignal): Promise<void> {
  const { application, operationId, isUnsure = false } = own;
  await afterStop(world, { stopped, graceMs }, async (signal) => {
    if (isUnsure) await world.argocd.changed(application, world.clock.now() + arrivalMs, signal);
    await withdrawWhile(world, application, (seen) => isWaiting(seen, operationId), signal);
  });
}

/** How long the watch may take to show what may have arrived. */
const arrivalMs = 500;
/** By Argo CD's own word: it keeps such an operation, Running or Terminating, until the window closes. */
export function isBlocked(seen: ObservedApplication, operationId: string): boolean {
  return /sync window/.test(messageOf(seen, operationId));
}

/** Asked for, and not taken up. */
export function isWaiting(seen: ObservedApplication, operationId: string): boolean {
  return seen.operation?.step === operationId && seen.lastOperation?.step !== operationId;
}

/** Again when Argo CD wrote at the same moment: what it wrote decides. */
export async function withdrawWhile(
  world: World,
  application: string,
  isMeant: (seen: ObservedApplication, operationId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const meant = (): string | undefined => {
    const seen = world.argocd.application(application);
    const step = seen?.operation?.step;
    return seen !== undefined && step !== undefined && isMeant(seen, step) ? step : undefined;
  };
  for (let step = meant(); step !== undefined; step = meant()) {
    await world.argocd.withdraw(application, step, signal);
    if (meant() === step) await world.argocd.changed(application, world.clock.now() + 100, signal);
  }
}

/** A cluster that does not listen any more cannot be told; the next run finds the operation and goes on with it. */
export async function afterStop(
  world: World,
  grace: { readonly stopped: AbortSignal; readonly graceMs: number },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (grace.stopped.reason instanceof PassedOnError) return;
  try {
    await outlast(world.clock, grace, work);
  } catch (error) {
    if (!(error instanceof InterruptedError || error instanceof OperatorError)) throw error;
  }
}

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
  const message = messageOf(seen, operationId);
  return message === '' || /sync window/.test(message);
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
/** How long a stopped step waits for a sync that Argo CD has taken up: most end within seconds, and the lease is free after them. */
const lastSyncMs = 10_000;

/**
 * Brings to its end what a stopped step, or whoever did it before, has asked for: taken back if it was not taken up, else waited for. What
 * takes longer is left to Argo CD, because whoever stops a run may not want a hook killed; but what a sync window keeps from
 * beginning, by Argo CD's own word, is taken back.
 */
export async function settle(
  world: World,
  { node, application }: { readonly node: string; readonly application: string },
  stopped: AbortSignal,
): Promise<void> {
  const isOurs = (seen: ObservedApplication): boolean => seen.operation?.step?.startsWith(`${node}/`) ?? false;
  await afterStop(world, { stopped, graceMs: lastSyncMs + graceMs }, async (signal) => {
    const until = world.clock.now() + lastSyncMs;
    await withdrawWhile(world, application, (seen, step) => isOurs(seen) && isWaiting(seen, step), signal);
    for (;;) {
      const seen = world.argocd.application(application);
      if (seen === undefined || !isOurs(seen)) return;
      if (world.clock.now() >= until) break;
      await world.argocd.changed(application, until, signal);
    }
    await withdrawWhile(world, application, (seen, step) => isOurs(seen) && isUntouched(seen, step), signal);
  });
}

/** Asked for, and not taken up. */
function isWaiting(seen: ObservedApplication, operationId: string): boolean {
  return seen.operation?.step === operationId && seen.lastOperation?.step !== operationId;
}

/** Again when Argo CD wrote at the same moment: what it wrote decides. */
async function withdrawWhile(
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
async function afterStop(
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

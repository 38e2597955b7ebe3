import type { ObservedApplication } from '../core/plan/observed.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import { outlast } from './outlast.ts';
import type { World } from './ports.ts';

export interface OwnOperation {
  readonly application: string;
  readonly operationId: string;
}

/** How long after a stop the cluster may take to hear of it. */
export const graceMs = 5_000;

/** What Argo CD says of an operation, if it says it of this one. */
export function messageOf(seen: ObservedApplication, operationId: string): string {
  return seen.lastOperation?.step === operationId ? seen.lastOperation.message : '';
}

/** Nothing was done for it yet, unless Argo CD is at its very first pass over it: that one is only written down when it ends. */
export function isUntouched(seen: ObservedApplication, operationId: string): boolean {
  const message = messageOf(seen, operationId);
  return message === '' || /sync window/.test(message);
}

/**
 * After a stop: what was asked for and not taken up would begin when nobody waits for it any more. What Argo CD has taken up
 * is left to it, and everything to whoever goes on with the run.
 */
export async function takeBack(world: World, own: OwnOperation, stopped: AbortSignal): Promise<void> {
  const { application, operationId } = own;
  const isWaiting = (): boolean => {
    const seen = world.argocd.application(application);
    return seen?.operation?.step === operationId && seen.lastOperation?.step !== operationId;
  };
  await afterStop(world, stopped, async (signal) => {
    while (isWaiting()) {
      await world.argocd.withdraw(application, operationId, signal);
      // Argo CD wrote at the same moment: what it wrote decides.
      if (isWaiting()) await world.argocd.changed(application, world.clock.now() + 100, signal);
    }
  });
}

/** How long a stopped step waits for a sync that Argo CD has taken up: most end within seconds, and the lease is free after them. */
const lastSyncMs = 10_000;

/**
 * Waits for the sync of ours that Argo CD is busy with. What takes longer is left to it, because whoever stops a run may not
 * want a hook killed; what has not begun by then is kept from it by a sync window, and taken back.
 */
export async function lastSync(world: World, application: string, stopped: AbortSignal): Promise<void> {
  const until = world.clock.now() + lastSyncMs;
  const ours = (): string | undefined => world.argocd.application(application)?.operation?.step;
  await afterStop(world, stopped, async (signal) => {
    while (ours() !== undefined && world.clock.now() < until) await world.argocd.changed(application, until, signal);
    const seen = world.argocd.application(application);
    const operationId = seen?.operation?.step;
    if (seen !== undefined && operationId !== undefined && isUntouched(seen, operationId))
      await world.argocd.withdraw(application, operationId, signal);
  });
}

/** A cluster that does not listen any more cannot be told; the next run finds the operation and goes on with it. */
async function afterStop(
  world: World,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (stopped.reason instanceof PassedOnError) return;
  try {
    await outlast(world.clock, { stopped, graceMs: lastSyncMs + graceMs }, work);
  } catch (error) {
    if (!(error instanceof InterruptedError || error instanceof OperatorError)) throw error;
  }
}

import type { ObservedApplication } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import { InterruptedError } from './interrupted-error.ts';
import { parentsOf } from './parents.ts';
import type { World } from './ports.ts';
import { afterStop, graceMs, isBlocked, isWaiting, withdrawWhile } from './take-back.ts';

/** How long a stopped run waits for syncs that Argo CD has taken up: most end within seconds, and the lease is free after them. */
const lastSyncMs = 10_000;
/** How long it then waits for Argo CD to end them. What is asked for stands in the Application, and is done later at the latest. */
const endingMs = 10_000;

export interface EndedRun {
  readonly platform: Platform;
  /** Asks the cluster: was it stopped, or is it gone, so that nobody will go on with it? */
  readonly isStopped: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Brings to their end all syncs that a stopped run, or a run before it that it went on with, has asked for: taken back if they were not taken
 * up, else waited for. What takes longer is ended as `argocd app terminate-op` would, because nobody waits for it any more. What a sync
 * window keeps from beginning cannot be ended, only taken back. Only for whoever has the lease: then no sync of ours is anybody else's.
 */
export async function settle(world: World, { platform, isStopped }: EndedRun, lost: AbortSignal): Promise<void> {
  const names = [...parentsOf(platform), ...[...platform.apps.values()].map(({ application }) => application)];
  const isBusy = (name: string): boolean => world.argocd.application(name)?.operation?.step !== undefined;
  const busy = names.filter(isBusy);
  if (busy.length === 0) return;
  const stopped = AbortSignal.abort(lost.aborted ? lost.reason : new InterruptedError('the run is over'));
  await afterStop(world, { stopped, graceMs: lastSyncMs + endingMs + graceMs }, async (late) => {
    const signal = AbortSignal.any([late, lost]);
    if (!(await isStopped(signal))) return;
    await Promise.all(busy.map((name) => settleOne(world, name, isStopped, signal)));
  });
}

async function settleOne(
  world: World,
  application: string,
  isStopped: EndedRun['isStopped'],
  signal: AbortSignal,
): Promise<void> {
  const operationId = world.argocd.application(application)?.operation?.step;
  const own = (): ObservedApplication | undefined => {
    const seen = world.argocd.application(application);
    return operationId !== undefined && seen?.operation?.step === operationId ? seen : undefined;
  };
  const until = world.clock.now() + lastSyncMs;
  await withdrawWhile(world, application, (seen, id) => id === operationId && isWaiting(seen, id), signal);
  while (own() !== undefined && world.clock.now() < until) await world.argocd.changed(application, until, signal);
  await withdrawWhile(world, application, (seen, id) => id === operationId && isBlocked(seen, id), signal);
  // Somebody may have had it retried meanwhile.
  if (own() !== undefined && (await isStopped(signal))) await terminate(world, application, own, signal);
}

/** Again when a pass that had begun before has written over it: Argo CD writes all it knows at the end of each. */
async function terminate(
  world: World,
  application: string,
  own: () => ObservedApplication | undefined,
  signal: AbortSignal,
): Promise<void> {
  const until = world.clock.now() + endingMs;
  for (let seen = own(); seen !== undefined && world.clock.now() < until; seen = own()) {
    const isAsked = seen.lastOperation?.phase === 'Terminating';
    if (!isAsked) await world.argocd.terminate(application, seen.operation?.step ?? '', signal);
    await world.argocd.changed(application, Math.min(until, world.clock.now() + 1_000), signal);
  }
}

import type { ObservedApplication } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import { InterruptedError } from './interrupted-error.ts';
import { parentsOf } from './parents.ts';
import type { World } from './ports.ts';
import { afterStop, graceMs, isBlocked, isWaiting, withdrawWhile } from './take-back.ts';

/** How long a stopped step waits for a sync that Argo CD has taken up: most end within seconds, and the lease is free after them. */
const lastSyncMs = 10_000;
/** How long it then waits for Argo CD to end it. What is asked for stands in the Application, and is done later at the latest. */
const endingMs = 10_000;

/** Asks the cluster: nobody will go on with the run. Else only who did this step was stopped. */
type IsStopped = (signal: AbortSignal) => Promise<boolean>;

export interface StoppedStep {
  readonly node: string;
  readonly application: string;
  readonly isStopped: IsStopped;
}

export interface StoppedRun {
  readonly platform: Platform;
  readonly runId: string;
  readonly isStopped: IsStopped;
}

/**
 * Brings to its end what a stopped step, or whoever did it before, has asked for: taken back if it was not taken up, else waited for. What
 * takes longer is ended as `argocd app terminate-op` would if the run is over, because nobody waits for it any more; else it is left to
 * Argo CD and to whoever goes on. What a sync window keeps from beginning cannot be ended, only taken back.
 */
export async function settle(world: World, step: StoppedStep, stopped: AbortSignal): Promise<void> {
  const { node, application, isStopped } = step;
  const isOurs = (id: string | undefined): boolean => id?.startsWith(`${node}/`) === true;
  const ours = (): ObservedApplication | undefined => {
    const seen = world.argocd.application(application);
    return isOurs(seen?.operation?.step) ? seen : undefined;
  };
  await afterStop(world, { stopped, graceMs: lastSyncMs + endingMs + graceMs }, async (signal) => {
    const until = world.clock.now() + lastSyncMs;
    await withdrawWhile(world, application, (seen, id) => isOurs(id) && isWaiting(seen, id), signal);
    while (ours() !== undefined && world.clock.now() < until) await world.argocd.changed(application, until, signal);
    await withdrawWhile(world, application, (seen, id) => isOurs(id) && isBlocked(seen, id), signal);
    if (ours() !== undefined && (await isStopped(signal))) await terminate(world, application, ours, signal);
  });
}

/** Again when a pass that had begun before has written over it: Argo CD writes all it knows at the end of each. */
async function terminate(
  world: World,
  application: string,
  ours: () => ObservedApplication | undefined,
  signal: AbortSignal,
): Promise<void> {
  const until = world.clock.now() + endingMs;
  for (let seen = ours(); seen !== undefined && world.clock.now() < until; seen = ours()) {
    const isAsked = seen.lastOperation?.phase === 'Terminating';
    if (!isAsked) await world.argocd.terminate(application, seen.operation?.step ?? '', signal);
    await world.argocd.changed(application, Math.min(until, world.clock.now() + 1_000), signal);
  }
}

/** What steps share, and so none of them ends: the syncs that create Applications. Only when no step waits for one any more. */
export async function settleParents(world: World, { platform, runId, isStopped }: StoppedRun): Promise<void> {
  const busy = parentsOf(platform).filter((name) => world.argocd.application(name)?.operation?.run === runId);
  if (busy.length === 0) return;
  const over = AbortSignal.abort(new InterruptedError('the run is over'));
  await afterStop(world, { stopped: over, graceMs }, async (signal) => {
    if (!(await isStopped(signal))) return;
    await Promise.all(busy.map((name) => settle(world, { node: name, application: name, isStopped }, over)));
  });
}

import type { LastOperation, ObservedApplication } from '../core/plan/observed.ts';
import type { Emit } from './event-queue.ts';
import { outlast } from './outlast.ts';
import { createPatience } from './patience.ts';
import type { SyncRequest, World } from './ports.ts';
import { graceMs, isUntouched, messageOf, takeBack } from './take-back.ts';

/** How an operation of ours ended. */
export type OperationResult =
  | { readonly ended: 'succeeded'; readonly operationId: string; readonly revision: string | undefined }
  | { readonly ended: 'failed' | 'timed-out'; readonly because: string; readonly hint: string };

export interface OperationOrder {
  /** Who the events are about. */
  readonly node: string;
  readonly application: string;
  readonly runId: string;
  readonly deadline: number;
  readonly resources?: SyncRequest['resources'];
  /** Asked at the last moment, when its turn has come: why it must not begin now. */
  readonly stillWanted?: StillWanted;
}

export type StillWanted = (
  signal: AbortSignal,
) => Promise<Exclude<OperationResult, { ended: 'succeeded' }> | undefined>;

/** How long a busy controller may take from its first look at an operation to its second. */
const firstPassMs = 10_000;

type Followed = OperationOrder & { readonly operationId: string };

/** Starts an operation on an Application and waits until it is complete. Waits for its turn when another one is running. */
export async function operate(
  world: World,
  emit: Emit,
  order: OperationOrder,
  signal: AbortSignal,
): Promise<OperationResult> {
  const operationId = `${order.node}/${world.newId()}`;
  const followed = inItsOwnTime(world, { ...order, operationId });
  const refused = await start(world, emit, followed, signal);
  if (refused !== undefined) return refused;
  emit({ type: 'operation-triggered', node: order.node, application: order.application, operationId });
  return follow(world, emit, followed, signal);
}

/** What an app needs is waited for in a time of its own: none of it is taken from the sync. */
function inItsOwnTime({ clock }: World, order: Followed): Followed {
  let askedMs = 0;
  return {
    ...order,
    get deadline() {
      return order.deadline + askedMs;
    },
    async stillWanted(signal) {
      const since = clock.now();
      try {
        return await order.stillWanted?.(signal);
      } finally {
        askedMs += clock.now() - since;
      }
    },
  };
}

/** Asks for it when its turn has come. Gives the reason when that cannot be. */
async function start(
  world: World,
  emit: Emit,
  order: Followed,
  signal: AbortSignal,
): Promise<OperationResult | undefined> {
  const { application, operationId, runId, resources } = order;
  const request: SyncRequest = { operationId, runId, ...(resources === undefined ? {} : { resources }) };
  let isUnsure = false;
  try {
    for (;;) {
      // A write that was sent twice may have arrived the first time.
      if (isOurs(world.argocd.application(application), operationId)) return undefined;
      const refused = await waitUntilMayBegin(world, emit, order, signal);
      if (refused !== undefined) return refused;
      signal.throwIfAborted();
      isUnsure = true;
      // Sent is sent: cut off, nobody would know whether it arrived.
      const answer = await outlast(world.clock, { stopped: signal, graceMs }, (late) =>
        world.argocd.sync(application, request, late),
      );
      isUnsure = answer === 'changed';
      if (answer === 'missing') return disappeared(order);
      if (answer === 'accepted') return undefined;
      // Our view was old: give the watch a moment to bring the newer one.
      await world.argocd.changed(application, Math.min(order.deadline, world.clock.now() + 100), signal);
    }
  } finally {
    if (signal.aborted && isUnsure) await takeBack(world, { application, operationId, isUnsure }, signal);
  }
}

/** Waits for an operation that is already there, ours from an earlier run. */
export async function follow(world: World, emit: Emit, order: Followed, signal: AbortSignal): Promise<OperationResult> {
  try {
    return await untilEnded(world, emit, order, signal);
  } finally {
    if (signal.aborted) await takeBack(world, order, signal);
  }
}

async function untilEnded(world: World, emit: Emit, order: Followed, signal: AbortSignal): Promise<OperationResult> {
  const news = progressTeller(world, emit, order);
  const nudging = createNudging(world, order);
  for (;;) {
    const seen = world.argocd.application(order.application);
    if (seen === undefined) return disappeared(order);
    const state = stateOf(seen, order.operationId);
    if (state === 'ended') return finished(emit, order, seen.lastOperation as LastOperation);
    if (state === 'replaced') return replaced;
    news(seen);
    const now = world.clock.now();
    if (now >= order.deadline) return timedOut(world, order, seen, signal);
    const nudgeAt = await nudging(state, seen, signal);
    // A nudge takes a moment, and nobody rings again for what has changed meanwhile.
    if (world.argocd.application(order.application)?.resourceVersion !== seen.resourceVersion) continue;
    await world.argocd.changed(order.application, Math.min(order.deadline, nudgeAt), signal);
  }
}

type Nudging = (state: 'requested' | 'running', seen: ObservedApplication, signal: AbortSignal) => Promise<number>;

/**
 * Touches the Application when nothing has moved for a while, and says when it would do so next. A request can be overlooked,
 * and an operation that waits for definitions is woken by nobody: they carry no mark that leads back to their Application.
 */
function createNudging(world: World, { application, operationId }: Followed): Nudging {
  const patience = createPatience(world, 'operations');
  let before = '';
  return async (state, seen, signal) => {
    const where = `${state} ${messageOf(seen, operationId)}`;
    if (where !== before) patience.begin();
    before = where;
    if (patience.isOver()) {
      await world.argocd.nudge(application, world.newId(), signal);
      patience.repeated(state === 'running' ? 'under way' : 'in line');
    }
    return patience.lookAt();
  };
}

const completed: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Error']);

/** requested: not picked up yet. `.operation` alone means running: a freed one leaves `phase: Running` behind for ever. */
function stateOf(seen: ObservedApplication, operationId: string): 'requested' | 'running' | 'ended' | 'replaced' {
  const isLast = seen.lastOperation?.step === operationId;
  if (seen.operation?.step === operationId) return isLast ? 'running' : 'requested';
  return isLast && completed.has(seen.lastOperation?.phase ?? '') ? 'ended' : 'replaced';
}

function isOurs(seen: ObservedApplication | undefined, operationId: string): boolean {
  return seen?.operation?.step === operationId || seen?.lastOperation?.step === operationId;
}

/** Tells what the operation says of itself, when that changes. */
function progressTeller(world: World, emit: Emit, order: Followed): (seen: ObservedApplication) => void {
  const startedAt = world.clock.now();
  let told = '';
  return (seen) => {
    const message = messageOf(seen, order.operationId);
    // The controller's first pass takes every operation for an automated one: news only when it stays so.
    const isPassing = /blocked by sync window/.test(message) && world.clock.now() < startedAt + firstPassMs;
    if (message === '' || message === told || isPassing) return;
    told = message;
    emit({ type: 'operation-progress', node: order.node, message });
  };
}

function finished(emit: Emit, order: Followed, last: LastOperation): OperationResult {
  const { phase, message, revision } = last;
  const { node, operationId } = order;
  emit({
    type: 'operation-finished',
    node,
    operationId,
    phase,
    message,
    ...(revision === undefined ? {} : { revision }),
  });
  if (phase === 'Succeeded') return { ended: 'succeeded', operationId, revision };
  return {
    ended: 'failed',
    because: `the sync ${phase === 'Failed' ? 'failed' : 'ended in an error'}: ${message}`,
    hint: 'Mend what the message names, in Git or in the cluster, then run the same command again: it continues here.',
  };
}

const replaced: OperationResult = {
  ended: 'failed',
  because: 'its operation was replaced or taken away by somebody else',
  hint: 'Something else syncs this Application: find it and stop it.',
};

function disappeared(order: OperationOrder): OperationResult {
  return {
    ended: 'failed',
    because: `Application ${order.application} disappeared`,
    hint: 'Something deleted it while it was being synced.',
  };
}

async function timedOut(
  world: World,
  order: Followed,
  seen: ObservedApplication,
  signal: AbortSignal,
): Promise<OperationResult> {
  const message = messageOf(seen, order.operationId);
  // What Argo CD is busy with is left to it; only what has not begun is taken back.
  if (isUntouched(seen, order.operationId)) await world.argocd.withdraw(order.application, order.operationId, signal);
  return {
    ended: 'timed-out',
    because: `the sync did not finish in time: ${message === '' ? 'Argo CD did not begin it' : message}`,
    hint: /sync window/.test(message)
      ? `A sync window of AppProject ${seen.project} forbids manual syncs: change it, or wait until it closes.`
      : 'Look at what the operation waits for in Argo CD; a longer timeouts.sync in dag.yaml gives it more time.',
  };
}

/** Asked for by Argo CD's own automation a moment before the hold: it waits for the window to go, and we would wait for it. */
function isHeldForEver({ operation, lastOperation }: ObservedApplication): boolean {
  const isBlocked = lastOperation?.phase === 'Running' && /blocked by sync window/.test(lastOperation.message);
  return operation?.automated === true && lastOperation?.automated === true && isBlocked;
}

/** Its turn has come, and it is still wanted then. */
async function waitUntilMayBegin(
  world: World,
  emit: Emit,
  order: OperationOrder,
  signal: AbortSignal,
): Promise<OperationResult | undefined> {
  for (;;) {
    const refused = (await waitForTurn(world, emit, order, signal)) ?? (await order.stillWanted?.(signal));
    if (refused !== undefined) return refused;
    // To be asked may have taken a while, and its turn be over.
    if (world.argocd.application(order.application)?.operation === undefined) return undefined;
  }
}

async function waitForTurn(
  world: World,
  emit: Emit,
  order: OperationOrder,
  signal: AbortSignal,
): Promise<OperationResult | undefined> {
  let told = false;
  for (;;) {
    const seen = world.argocd.application(order.application);
    const running = seen?.operation;
    if (seen === undefined || running === undefined) return undefined;
    const lookAt = await takeBackAutomated(world, order, seen, signal);
    const message = `waits for an operation by ${running.initiatedBy} to finish`;
    if (!told) emit({ type: 'operation-progress', node: order.node, message });
    told = true;
    if (world.clock.now() >= order.deadline) {
      return {
        ended: 'timed-out',
        because: `an operation by ${running.initiatedBy} did not finish in time`,
        hint: `Look at it in Argo CD; \`argocd app terminate-op ${order.application}\` ends it.`,
      };
    }
    // What has changed while it was being taken back has rung already, and then it was not taken back.
    if (world.argocd.application(order.application)?.resourceVersion !== seen.resourceVersion) continue;
    await world.argocd.changed(order.application, lookAt, signal);
  }
}

/** Until an operation that was to be taken back is looked at again. */
const askBackMs = 1_000;

/** Says when to look again. */
async function takeBackAutomated(
  world: World,
  { application, deadline }: OperationOrder,
  seen: ObservedApplication,
  signal: AbortSignal,
): Promise<number> {
  if (!isHeldForEver(seen)) return deadline;
  await world.argocd.withdrawAutomated(application, signal);
  return Math.min(deadline, world.clock.now() + askBackMs);
}

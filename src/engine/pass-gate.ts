import { type GateVerdict, judgeGate, stabilityMs } from '../core/health/gate.ts';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { wantedRevision } from '../core/plan/observed-verdict.ts';
import type { App, Environment } from '../core/platform/platform.ts';
import type { Evidence } from '../core/run/evidence.ts';
import { createComparisons } from './comparisons.ts';
import type { Emit } from './event-queue.ts';
import { ownChecks } from './own-checks.ts';
import type { World } from './ports.ts';

export type GateResult =
  | { readonly passed: true; readonly evidence: Evidence }
  | { readonly passed: false; readonly because: string; readonly hint: string; readonly timedOut: boolean };

export interface GateOrder {
  readonly node: string;
  readonly app: App;
  readonly environment: Environment;
  readonly operationId: string | undefined;
  /** The commit our operation synced, when it told one. */
  readonly revision: string | undefined;
  readonly deadline: number;
  /** It has passed its gate before, and one fresh verdict is enough. */
  readonly isRecheck?: boolean;
}

/** A bad verdict must last this long before it fails the attempt: controllers pass through bad states on their way. */
const badLastsMs = 10_000;
/**
 * Without good news a waiting gate asks for a fresh comparison, soon at first and then ever more seldom: passively watched
 * health can be blind, above all right after a sync that brought definitions, because Argo CD then reads the cluster anew.
 * What took a while is seen after a quarter of that.
 */
const askAgainMs = { first: 2_000, longest: 60_000 };
/**
 * Our own checks see things that change without the Application changing (a Vault is unsealed): look again by time. Where
 * nothing else is waited for, soon at first, then after a part of the time that it took, and seldom enough for what takes hours.
 * With a tenth, a Vault that took five seconds was seen half a second late, and all that needs it started as late.
 */
const checkAgainMs = { first: 100, longest: 5_000 };
const checkAgainPart = 1 / 40;
/** Many dependents may ask the same app again at once, and each for itself. */
const recheckFirstMs = 1_000;

/** The last comparison before a verdict counts is asked for this long before, so that a busy Argo CD has answered in time. */
const leadMs = 2_500;

/**
 * Argo CD has just written that our operation is over. A request that comes within milliseconds of that can be lost in its cache, and would
 * be made again seconds later.
 */
const breathMs = 30;

/** Waits until the app is truly Healthy, by fresh evidence; or fails with what it was waiting for. */
export async function passGate(world: World, emit: Emit, order: GateOrder, signal: AbortSignal): Promise<GateResult> {
  const watch: GateWatch = { askAt: 0, badSince: undefined, openSince: undefined, oursSince: undefined, told: '' };
  const began = world.clock.now();
  const onAnswer = (): void => {
    const now = world.clock.now();
    watch.askAt = now + Math.min(Math.max((now - began) / 4, askAgainMs.first), askAgainMs.longest);
  };
  const { application } = order.app;
  const speaksForItself = becomesSynced(world, order);
  const comparisons = createComparisons(
    world,
    { application, deadline: order.deadline, onAnswer, speaksForItself },
    signal,
  );
  try {
    if (order.operationId !== undefined) await world.clock.sleep(breathMs, signal);
    comparisons.ask();
    await comparisons.next(order.deadline);
    for (;;) {
      const lookedAt = world.clock.now();
      const version = versionOf(world, order);
      const verdict = await judge(world, order, comparisons.refreshedAt(), signal);
      tell(world, emit, order, { watch, verdict });
      const look = { watch, verdict, provenAt: comparisons.provenAt(), lookedAt };
      const end = note(world, order, look);
      if (end !== undefined) return end;
      if (isDue(world, order, look)) comparisons.ask();
      // Our own checks take a moment, and nobody rings again for what has changed meanwhile.
      if (versionOf(world, order) === version) await comparisons.next(nextLook(world, order, watch, verdict));
    }
  } finally {
    comparisons.end();
  }
}

/**
 * Our operation is over and the record still says OutOfSync: when it says Synced, at the operation's commit, it is by a comparison that
 * saw all that the operation has changed, and its health is theirs. The answer to our request may come seconds after that.
 */
function becomesSynced(world: World, { app, operationId, revision }: GateOrder): () => boolean {
  const seen = (): ObservedApplication | undefined => world.argocd.application(app.application);
  const wasBehind = operationId !== undefined && revision !== undefined && seen()?.sync.status === 'OutOfSync';
  return () => wasBehind && seen()?.sync.status === 'Synced' && seen()?.sync.revision === revision;
}

function versionOf(world: World, { app }: GateOrder): string | undefined {
  return world.argocd.application(app.application)?.resourceVersion;
}

/** What the gate remembers between two looks. */
interface GateWatch {
  /** When a fresh comparison is due. */
  askAt: number;
  badSince: number | undefined;
  openSince: number | undefined;
  /** Since when only our own checks are waited for: Argo CD has said Healthy. */
  oursSince: number | undefined;
  told: string;
}

async function judge(
  world: World,
  order: GateOrder,
  refreshedAt: string | undefined,
  signal: AbortSignal,
): Promise<GateVerdict> {
  const seen = world.argocd.application(order.app.application);
  const pinned = seen === undefined ? undefined : wantedRevision(seen, order.environment);
  const input = {
    app: order.app,
    seen,
    operationId: order.operationId,
    wantedRevision: order.isRecheck === true ? undefined : pinned,
    syncedRevision: order.revision,
    refreshedAt,
  };
  const first = judgeGate({ ...input, checks: [] });
  // Our own checks cost requests: look only where everything before health is in order. Argo CD's bad one may be our “wait” (Ceph's HEALTH_WARN).
  if (seen === undefined || (first.gate === 'wait' && (first.on !== 'health' || !knowsMore(order.app)))) return first;
  return judgeGate({ ...input, checks: await ownChecks(world, order.app, seen, signal) });
}

/** Whether our own checks can tell what a waiting app waits for. */
function knowsMore(app: App): boolean {
  return app.type !== 'simple' || app.probes.length > 0;
}

interface Look {
  readonly watch: GateWatch;
  readonly verdict: GateVerdict;
  /** When the newest comparison that was answered had been asked for. */
  readonly provenAt: number;
  /** When the look began: our own checks take a moment. */
  readonly lookedAt: number;
}

/** Keeps the times that matter, and says when the wait is over. */
function note(world: World, order: GateOrder, { watch, verdict, provenAt, lookedAt }: Look): GateResult | undefined {
  const now = world.clock.now();
  const sinceWhen = (isSo: boolean, before: number | undefined) => (isSo ? (before ?? lookedAt) : undefined);
  watch.openSince = sinceWhen(verdict.gate === 'open', watch.openSince);
  watch.badSince = sinceWhen(verdict.gate === 'bad', watch.badSince);
  watch.oursSince = sinceWhen(verdict.gate === 'wait' && verdict.on === 'checks', watch.oursSince);
  const since = watch.openSince ?? watch.badSince;
  if (since !== undefined && hasLasted({ since, now, provenAt, forMs: mustLastMs(world, order, verdict) }))
    return lasting(verdict, now - since);
  return now >= order.deadline ? timedOut(order, verdict) : undefined;
}

function lasting(verdict: GateVerdict, lastedMs: number): GateResult | undefined {
  if (verdict.gate === 'open')
    return { passed: true, evidence: { ...verdict.evidence, stableSeconds: Math.round(lastedMs / 1000) } };
  if (verdict.gate === 'wait') return undefined;
  return { passed: false, because: verdict.because, hint: verdict.hint, timedOut: false };
}

/** A verdict that had to last counts only when a comparison made at its end agrees. */
function hasLasted(of: {
  readonly since: number;
  readonly now: number;
  readonly provenAt: number;
  readonly forMs: number;
}): boolean {
  if (of.forMs === 0) return true;
  return of.now - of.since >= of.forMs && of.provenAt >= of.since + of.forMs - leadMs;
}

function mustLastMs(world: World, order: GateOrder, verdict: GateVerdict): number {
  return verdict.gate === 'bad' ? badLastsMs : stabilityOf(world, order);
}

/** Whether to ask for a comparison now: some time after the last answer, and before a verdict is to count. */
function isDue(world: World, order: GateOrder, { watch, verdict, provenAt }: Look): boolean {
  const since = watch.openSince ?? watch.badSince;
  if (since !== undefined) {
    const countsAt = since + mustLastMs(world, order, verdict);
    if (provenAt >= countsAt - leadMs) {
      watch.askAt = Math.max(watch.askAt, countsAt);
      return false;
    }
    const proveAt = countsAt - leadMs;
    // What is good and lasts needs no other; what is bad may be so only in the eyes of who has not looked.
    watch.askAt = verdict.gate === 'open' ? proveAt : Math.min(watch.askAt, proveAt);
  }
  if (world.clock.now() < watch.askAt) return false;
  watch.askAt = never;
  return true;
}

/** When to look again if nothing happens before. */
function nextLook(world: World, order: GateOrder, watch: GateWatch, verdict: GateVerdict): number {
  const now = world.clock.now();
  const since = watch.openSince ?? watch.badSince;
  const lasts = since === undefined ? never : since + mustLastMs(world, order, verdict);
  const isOurs = watch.oursSince !== undefined || (verdict.gate === 'wait' && knowsMore(order.app));
  const again = isOurs ? now + checkAgainAfterMs(order, watch, now) : never;
  // What has lasted long enough waits for a comparison that agrees.
  return Math.min(order.deadline, watch.askAt, again, lasts > now ? lasts : never);
}

function checkAgainAfterMs({ isRecheck }: GateOrder, { oursSince }: GateWatch, now: number): number {
  if (oursSince === undefined) return checkAgainMs.longest;
  const first = isRecheck === true ? recheckFirstMs : checkAgainMs.first;
  return Math.min(Math.max((now - oursSince) * checkAgainPart, first), checkAgainMs.longest);
}

const never = Number.POSITIVE_INFINITY;

function stabilityOf(world: World, order: GateOrder): number {
  if (order.isRecheck === true) return 0;
  const seen = world.argocd.application(order.app.application);
  return seen === undefined ? 0 : stabilityMs(order.app, seen);
}

function tell(
  world: World,
  emit: Emit,
  order: GateOrder,
  { watch, verdict }: { watch: GateWatch; verdict: GateVerdict },
): void {
  const waitingFor =
    verdict.gate === 'wait' ? verdict.for : verdict.gate === 'bad' ? verdict.because : 'a stable verdict';
  if (waitingFor === watch.told) return;
  watch.told = waitingFor;
  const seen = world.argocd.application(order.app.application);
  const state = seen === undefined ? {} : { sync: seen.sync.status, health: seen.health.status };
  emit({ type: 'gate-progress', node: order.node, waitingFor, ...state });
}

function timedOut(order: GateOrder, verdict: GateVerdict): GateResult {
  if (verdict.gate === 'bad')
    return { passed: false, because: `timed out: ${verdict.because}`, hint: verdict.hint, timedOut: true };
  const hint = `Mend the cause and run the same command again: it continues here. If it only needs longer, raise timeouts.health of ${order.node}.`;
  return {
    passed: false,
    because: `timed out waiting for ${verdict.gate === 'wait' ? verdict.for : 'Argo CD to compare it once more'}`,
    hint,
    timedOut: true,
  };
}

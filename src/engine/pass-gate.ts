import { type GateVerdict, judgeGate, stabilityMs } from '../core/health/gate.ts';
import { wantedRevision } from '../core/plan/observed-verdict.ts';
import type { App, Environment } from '../core/platform/platform.ts';
import type { Evidence } from '../core/run/evidence.ts';
import { barrier } from './barrier.ts';
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
 */
const askAgainMs = { first: 2_000, longest: 60_000 };
/** Our own checks see things that change without the Application changing (a Vault is unsealed): look again by time. */
const checkEveryMs = 5_000;

/** Waits until the app is truly Healthy, by fresh evidence; or fails with what it was waiting for. */
export async function passGate(world: World, emit: Emit, order: GateOrder, signal: AbortSignal): Promise<GateResult> {
  const watch: GateWatch = {
    askAt: 0,
    askAfterMs: askAgainMs.first,
    refreshedAt: undefined,
    badSince: undefined,
    openSince: undefined,
    told: '',
  };
  for (;;) {
    if (world.clock.now() >= watch.askAt) await ask(world, order, watch, signal);
    const verdict = await judge(world, order, watch.refreshedAt, signal);
    tell(world, emit, order, { watch, verdict });
    const end = note(world, order, watch, verdict);
    if (end !== undefined) return end;
    await world.argocd.changed(order.app.application, nextLook(world, order, watch, verdict), signal);
  }
}

/** What the gate remembers between two looks. */
interface GateWatch {
  /** When a fresh comparison is due. */
  askAt: number;
  /** How long after it the next one is due. */
  askAfterMs: number;
  refreshedAt: string | undefined;
  badSince: number | undefined;
  openSince: number | undefined;
  told: string;
}

async function ask(world: World, order: GateOrder, watch: GateWatch, signal: AbortSignal): Promise<void> {
  const answer = await barrier(world, order.app.application, order.deadline, signal);
  if ('refreshedAt' in answer) watch.refreshedAt = answer.refreshedAt;
  watch.askAt = world.clock.now() + watch.askAfterMs;
  watch.askAfterMs = Math.min(2 * watch.askAfterMs, askAgainMs.longest);
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

/** Keeps the times that matter, and says when the wait is over. */
function note(world: World, order: GateOrder, watch: GateWatch, verdict: GateVerdict): GateResult | undefined {
  const now = world.clock.now();
  if (verdict.gate === 'open') {
    watch.badSince = undefined;
    watch.openSince ??= now;
    const stableMs = now - watch.openSince;
    if (stableMs < stabilityOf(world, order)) return undefined;
    return { passed: true, evidence: { ...verdict.evidence, stableSeconds: Math.round(stableMs / 1000) } };
  }
  watch.openSince = undefined;
  if (verdict.gate === 'bad') {
    watch.badSince ??= now;
    if (now - watch.badSince >= badLastsMs)
      return { passed: false, because: verdict.because, hint: verdict.hint, timedOut: false };
  } else watch.badSince = undefined;
  return now >= order.deadline ? timedOut(order, verdict) : undefined;
}

/** When to look again if nothing happens before. A verdict that is about to count must rest on a comparison made just then. */
function nextLook(world: World, order: GateOrder, watch: GateWatch, verdict: GateVerdict): number {
  if (watch.openSince !== undefined) return askAt(watch, watch.openSince + stabilityOf(world, order));
  if (watch.badSince !== undefined) return Math.min(order.deadline, askAt(watch, watch.badSince + badLastsMs));
  const again =
    verdict.gate === 'wait' && knowsMore(order.app) ? world.clock.now() + checkEveryMs : Number.POSITIVE_INFINITY;
  return Math.min(order.deadline, watch.askAt, again);
}

function askAt(watch: GateWatch, time: number): number {
  watch.askAt = Math.min(watch.askAt, time);
  return time;
}

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

function timedOut(order: GateOrder, verdict: Exclude<GateVerdict, { gate: 'open' }>): GateResult {
  if (verdict.gate === 'bad')
    return { passed: false, because: `timed out: ${verdict.because}`, hint: verdict.hint, timedOut: true };
  const hint = `Mend the cause and run the same command again: it continues here. If it only needs longer, raise timeouts.health of ${order.node}.`;
  return { passed: false, because: `timed out waiting for ${verdict.for}`, hint, timedOut: true };
}

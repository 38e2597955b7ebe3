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
}

/** A bad verdict must last this long before it fails the attempt: controllers pass through bad states on their way. */
const badLastsMs = 10_000;
/** Without any news a waiting gate asks for a fresh comparison this often: passively watched health can be blind. */
const askAgainMs = 60_000;

/** Waits until the app is truly Healthy, by fresh evidence; or fails with what it was waiting for. */
export async function passGate(world: World, emit: Emit, order: GateOrder, signal: AbortSignal): Promise<GateResult> {
  const { clock, argocd } = world;
  const name = order.app.application;
  let refreshedAt: string | undefined;
  let askAt = 0;
  let badSince: number | undefined;
  let openSince: number | undefined;
  let told = '';
  for (;;) {
    const now = clock.now();
    if (now >= askAt) {
      const answer = await barrier(world, name, order.deadline, signal);
      refreshedAt = 'refreshedAt' in answer ? answer.refreshedAt : refreshedAt;
      askAt = clock.now() + askAgainMs;
    }
    const verdict = await judge(world, order, refreshedAt, signal);
    told = tell(emit, order.node, verdict, argocd.application(name), told);
    if (verdict.gate === 'open') {
      const seen = argocd.application(name);
      const needed = seen === undefined ? 0 : stabilityMs(seen);
      openSince ??= clock.now();
      const stable = clock.now() - openSince;
      if (stable >= needed)
        return { passed: true, evidence: { ...verdict.evidence, stableSeconds: Math.round(stable / 1000) } };
      // The second verdict must rest on a second comparison, not on the first one unchanged.
      await argocd.changed(name, openSince + needed, signal);
      if (clock.now() >= openSince + needed) askAt = 0;
      continue;
    }
    openSince = undefined;
    badSince = verdict.gate === 'bad' ? (badSince ?? clock.now()) : undefined;
    if (verdict.gate === 'bad' && clock.now() - (badSince ?? 0) >= badLastsMs)
      return { passed: false, because: verdict.because, hint: verdict.hint, timedOut: false };
    if (clock.now() >= order.deadline) return timedOut(order, verdict);
    const wake = Math.min(
      order.deadline,
      askAt,
      badSince === undefined ? Number.POSITIVE_INFINITY : badSince + badLastsMs,
      clock.now() + checkEveryMs(order, verdict),
    );
    if (badSince !== undefined && wake === badSince + badLastsMs) askAt = wake;
    await argocd.changed(name, wake, signal);
  }
}

async function judge(
  world: World,
  order: GateOrder,
  refreshedAt: string | undefined,
  signal: AbortSignal,
): Promise<GateVerdict> {
  const seen = world.argocd.application(order.app.application);
  const input = {
    app: order.app,
    seen,
    operationId: order.operationId,
    wantedRevision: order.revision ?? (seen === undefined ? undefined : wantedRevision(seen, order.environment)),
    refreshedAt,
  };
  const first = judgeGate({ ...input, checks: [] });
  // Our own checks cost requests: look only where everything before health is in order. Argo CD's bad one may be our “wait” (Ceph's HEALTH_WARN).
  if (seen === undefined || (first.gate === 'wait' && first.on !== 'health')) return first;
  if (first.gate === 'wait' && order.app.type === 'simple') return first;
  return judgeGate({ ...input, checks: await ownChecks(world, order.app, seen, signal) });
}

/** Our own checks see things that change without the Application changing (a Vault is unsealed): look again by time. */
function checkEveryMs(order: GateOrder, verdict: GateVerdict): number {
  return verdict.gate === 'wait' && (order.app.probes.length > 0 || order.app.type !== 'simple')
    ? 5_000
    : Number.POSITIVE_INFINITY;
}

function tell(
  emit: Emit,
  node: string,
  verdict: GateVerdict,
  seen: ReturnType<World['argocd']['application']>,
  told: string,
): string {
  const waitingFor =
    verdict.gate === 'wait' ? verdict.for : verdict.gate === 'bad' ? verdict.because : 'a stable verdict';
  if (waitingFor === told) return told;
  emit({
    type: 'gate-progress',
    node,
    waitingFor,
    ...(seen === undefined ? {} : { sync: seen.sync.status, health: seen.health.status }),
  });
  return waitingFor;
}

function timedOut(order: GateOrder, verdict: Exclude<GateVerdict, { gate: 'open' }>): GateResult {
  const what = verdict.gate === 'wait' ? `timed out waiting for ${verdict.for}` : `timed out: ${verdict.because}`;
  const hint =
    verdict.gate === 'bad'
      ? verdict.hint
      : `Mend the cause and run the same command again: it continues here. If it only needs longer, raise timeouts.health of ${order.node}.`;
  return { passed: false, because: what, hint, timedOut: true };
}

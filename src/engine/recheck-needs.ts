import type { App } from '../core/platform/platform.ts';
import type { Emit } from './event-queue.ts';
import { passGate } from './pass-gate.ts';
import type { World } from './ports.ts';
import type { StepOrder, StepResult } from './step-result.ts';

export interface NeedsOrder {
  readonly hard: readonly App[];
  /** App → when its gate last opened on a fresh verdict. */
  readonly verified: Map<string, number>;
  /** App → a gate that it is passing again just now, for somebody else who needs it. Never rejects. */
  readonly asking: Map<string, Promise<unknown>>;
  /** A verdict older than this is not fresh any more; half a minute unless told. */
  readonly freshForMs?: number;
  /** How long one that is not well is waited for; as long as the dependent may take to become Healthy unless told. */
  readonly patienceMs?: number;
}

/** How long to wait for what somebody else has asked: what takes longer is not well, and everybody looks for himself. */
const sharedMs = 5_000;

const usuallyFreshForMs = 30_000;

/**
 * INV-1 at the moment that counts: a gate that opened half an hour ago proves nothing about now, and passively watched health
 * can be blind. Every hard need whose verdict is old, or has turned, passes its gate again before its dependent starts.
 */
export async function recheckNeeds(
  world: World,
  emit: Emit,
  order: Omit<StepOrder, 'again'> & { readonly needs: NeedsOrder },
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  const { hard, patienceMs = order.app.timeouts.healthMs } = order.needs;
  const deadline = world.clock.now() + patienceMs;
  for (;;) {
    // While one was waited for, another may have turned, or its verdict grown old.
    const old = hard.filter((need) => !isFresh(world, order.needs, need));
    if (old.length === 0) return undefined;
    const results = await Promise.all(old.map((need) => recheck(world, emit, { ...order, need, deadline }, signal)));
    const result = results.find((one) => one !== undefined);
    if (result !== undefined || world.clock.now() >= deadline) return result;
  }
}

/** Young, and not turned since. */
function isFresh(world: World, { verified, freshForMs = usuallyFreshForMs }: NeedsOrder, need: App): boolean {
  const at = verified.get(need.name) ?? 0;
  return world.clock.now() - at < freshForMs && world.argocd.application(need.application)?.health.status === 'Healthy';
}

async function recheck(
  world: World,
  emit: Emit,
  order: Omit<StepOrder, 'again'> & { readonly needs: NeedsOrder; readonly need: App; readonly deadline: number },
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  const { node, need, environment, deadline } = order;
  const { asking, verified } = order.needs;
  // Ten dependents of one app start at once: what they need besides is compared once, not ten times.
  const other = asking.get(need.name);
  if (other !== undefined) await awhile(world, other, signal);
  if (isFresh(world, order.needs, need)) return undefined;
  const tell: Emit = (event) => {
    if (event.type === 'gate-progress' && event.waitingFor !== 'a stable verdict') {
      emit({ type: 'gate-progress', node, waitingFor: `${need.name}, which it needs: ${event.waitingFor}` });
    }
  };
  // A new commit may have come since it passed: what counts for its dependents is that it works.
  const passing = passGate(
    world,
    tell,
    {
      node: need.name,
      app: { ...need, settles: false },
      environment,
      operationId: undefined,
      revision: undefined,
      deadline,
      isRecheck: true,
    },
    signal,
  );
  const noted = passing.then(({ passed }) => passed && verified.set(need.name, world.clock.now()));
  asking.set(
    need.name,
    noted.catch(() => undefined),
  );
  await noted;
  const gate = await passing;
  if (!gate.passed) {
    const because = `${need.name}, which it needs, was Healthy at its gate but is not now: ${gate.because}`;
    return { result: 'timed-out', because, hint: `Mend ${need.name}, then run the same command again.` };
  }
  return undefined;
}

async function awhile(world: World, other: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([other, world.clock.sleep(sharedMs, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}

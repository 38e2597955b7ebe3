import type { SandboxTime } from '../time.ts';
import type { World } from './world.ts';

export type VaultState = 'uninitialized' | 'sealed' | 'active' | 'unreachable';

/** What Vault's health endpoint would say, from the time at which its StatefulSet became ready and the scenario's words. */
export function vaultStateOf(
  { world, time }: { world: World; time: SandboxTime },
  application: string,
  readyAt: number | undefined,
): VaultState {
  const app = world.appOf(application);
  if (app === undefined || readyAt === undefined) return 'unreachable';
  if (world.fault(app.name, 'sealed') !== undefined) return 'sealed';
  const words = (world.behaviour(app).states ?? []).filter(({ state }) => isVaultState(state));
  let endsAt = readyAt;
  const now = words.find(({ forMs }) => {
    endsAt += forMs ?? Number.POSITIVE_INFINITY;
    return time.now() < endsAt;
  });
  return (now?.state as VaultState | undefined) ?? 'active';
}

/** Words about Vault's seal are no state of its StatefulSet. */
export function isVaultState(state: string): boolean {
  return state === 'sealed' || state === 'uninitialized' || state === 'active';
}

/** The answer of `/v1/sys/health`. */
export function vaultAnswer(state: VaultState): { status: number; body: string } | undefined {
  if (state === 'unreachable') return undefined;
  const status = { uninitialized: 501, sealed: 503, active: 200 }[state];
  const initialized = state !== 'uninitialized';
  return { status, body: JSON.stringify({ initialized, sealed: state !== 'active', standby: false }) };
}

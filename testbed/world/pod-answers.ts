import { type VaultState, vaultAnswer } from '../../src/sandbox/world/vault.ts';
import { annotations, type VaultWord } from './annotations.ts';
import type { Answer } from './egress.ts';

/** The part of a Pod that tells what would answer in it. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

/** What a pod that has been ready for so long says. Vault says how far it is, everything else `ok`. */
export function podAnswer(pod: Pod, path: string, readyForMs: number): Answer | undefined {
  if (!path.startsWith('/v1/sys/health')) return { status: 200, body: 'ok' };
  const words = pod.metadata.annotations?.[annotations.vault];
  // Our own publishing has written them.
  return vaultAnswer(stateAfter(readyForMs, words === undefined ? [] : (JSON.parse(words) as VaultWord[])));
}

/** Since when the pod is ready; undefined when it is not. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') : undefined;
}

function stateAfter(sinceMs: number, words: readonly VaultWord[]): VaultState {
  let endsMs = 0;
  const now = words.find(({ forMs }) => {
    endsMs += forMs ?? Number.POSITIVE_INFINITY;
    return sinceMs < endsMs;
  });
  // The scenario's reader lets only these words through.
  return (now?.state ?? 'active') as VaultState;
}

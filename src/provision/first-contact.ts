import { asOperatorError } from '../adapters/kubernetes/as-operator-error.ts';
import { createClient, type KubeClient } from '../adapters/kubernetes/client.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import type { Clock } from '../engine/ports.ts';

export interface FirstContact {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** For the sentence, should it fail: `could not …`. */
  readonly doing: string;
}

/** Whoever waits for the first answer does not wait for a minute of retries. */
const retryForMs = 10_000;
/** As long as preflight waits for the same; a plugin for credentials may have to ask somebody first. */
const requestTimeoutMs = 20_000;

/** The first question to a cluster of which nobody knows whether it is there: either an answer soon, or an `OperatorError` with what to look at. */
export function onFirstContact<T>(contact: FirstContact, ask: (client: KubeClient) => Promise<T>): Promise<T> {
  const { transport, clock, random, doing } = contact;
  const client = createClient(transport, { clock, random, userAgent: 'tiphys', retryForMs, requestTimeoutMs });
  return asOperatorError(doing, () => ask(client));
}

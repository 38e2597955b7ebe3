import { connectAgent } from '../adapters/argo-workflows/connect-agent.ts';
import { seededIds } from '../adapters/clock/seeded-ids.ts';
import { createClient } from '../adapters/kubernetes/client.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { syncAndWaitTemplate } from '../core/workflow/workflow-templates.ts';
import { runAgent } from '../engine/agent.ts';
import type { Clock } from '../engine/ports.ts';

export interface SandboxAccess {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly namespace: string;
}

/** What `charts/tiphys` brings to a real cluster: our templates, and an agent that does the steps. */
export async function serveSandbox({ transport, clock, namespace }: SandboxAccess, signal: AbortSignal): Promise<void> {
  const ids = seededIds(2);
  const client = createClient(transport, { clock });
  await client.create(
    '/apis/argoproj.io/v1alpha1/clusterworkflowtemplates',
    syncAndWaitTemplate({ kind: 'agent' }),
    signal,
  );
  const agent = { transport, clock, namespace, newId: ids.next, random: ids.random, log: () => undefined, signal };
  // Works until the run it is there for has ended.
  void runAgent(connectAgent(agent), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

import type { Clock, World } from '../../engine/ports.ts';
import { createWorkflows } from '../argo-workflows/workflows.ts';
import { createClient, type KubeClient } from '../kubernetes/client.ts';
import { createDiscovery } from '../kubernetes/discovery.ts';
import type { Transport } from '../kubernetes/transport.ts';
import { createLease } from '../lease/lease.ts';
import { createObjects } from '../objects/objects.ts';
import { createArgoCd } from './argocd.ts';

export interface WorldOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly platform: string;
  readonly argocdNamespace: string;
  /** `argo` unless told. */
  readonly workflowsNamespace?: string;
  /** The platform's Applications that are not in Argo CD's namespace. */
  readonly elsewhere?: readonly string[];
  readonly newId: () => string;
  /** Where this executor lives, told to whoever finds the lease taken. */
  readonly identity?: string;
  readonly random: () => number;
  /** Ends the watches. */
  readonly signal: AbortSignal;
  readonly onTrouble?: (sentence: string) => void;
}

/** During a run a cluster may be away for a minute; before it, somebody waits for an answer. */
const firstContactMs = 10_000;

/** Everything the engine can reach, behind one transport: the same for a real API server and for the embedded one. */
export function connectWorld(options: WorldOptions): World & { readonly client: KubeClient } {
  const { clock, platform, argocdNamespace: namespace, random, identity } = options;
  const client = createClient(options.transport, { clock, random, userAgent: 'tiphys' });
  return {
    client,
    clock,
    newId: options.newId,
    argocd: createArgoCd({
      client,
      firstContact: createClient(options.transport, { clock, random, userAgent: 'tiphys', retryForMs: firstContactMs }),
      clock,
      namespace,
      platform,
      ...(options.elsewhere === undefined ? {} : { elsewhere: options.elsewhere }),
      random,
      signal: options.signal,
      ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
    }),
    objects: createObjects(client, createDiscovery(client)),
    workflows: createWorkflows({
      client,
      clock,
      namespace: options.workflowsNamespace ?? 'argo',
      platform,
      random,
      signal: options.signal,
    }),
    lease: createLease({ client, clock, namespace, platform, ...(identity === undefined ? {} : { identity }) }),
  };
}

import { applicationsElsewhere } from '../../core/platform/application-name.ts';
import type { AgentWorld } from '../../engine/agent-ports.ts';
import type { Clock } from '../../engine/ports.ts';
import { connectWorld } from '../argocd/connect-world.ts';
import { createClient } from '../kubernetes/client.ts';
import type { Transport } from '../kubernetes/transport.ts';
import { createLease } from '../lease/lease.ts';
import { createTaskSets } from './task-sets.ts';

export interface AgentOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Where the Workflows are. */
  readonly namespace: string;
  readonly newId: () => string;
  readonly random: () => number;
  /** Where this agent lives, for whoever looks at the lease. */
  readonly identity?: string;
  readonly log: (sentence: string) => void;
  readonly stands?: AgentWorld['stands'];
  /** Ends the watches. */
  readonly signal: AbortSignal;
}

/** A run belongs to its Workflow, not to the process that happens to do its steps: all of them are the same holder of its lease. */
export const workflowIdentity = 'argo-workflows';

/** Everything the agent can reach, behind one transport. */
export function connectAgent(options: AgentOptions): AgentWorld {
  const { transport, clock, namespace, newId, random, identity, log, stands = () => undefined, signal } = options;
  const client = createClient(transport, { clock, random, userAgent: 'tiphys-agent' });
  const lease = { client, clock, namespace, platform: 'workflow-agent' };
  return {
    clock,
    newId,
    log,
    stands,
    taskSets: createTaskSets({ client, clock, namespace, random, signal }),
    leadership: createLease({ ...lease, ...(identity === undefined ? {} : { identity }) }),
    connect: (platform, until) =>
      connectWorld({
        transport,
        clock,
        platform: platform.name,
        argocdNamespace: platform.environment.argocdNamespace,
        workflowsNamespace: namespace,
        elsewhere: applicationsElsewhere(platform),
        newId,
        random,
        identity: workflowIdentity,
        signal: until,
      }),
  };
}

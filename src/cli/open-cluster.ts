import { hostname } from 'node:os';
import { workflowIdentity } from '../adapters/argo-workflows/connect-agent.ts';
import { connectWorld } from '../adapters/argocd/connect-world.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../adapters/clock/system-random.ts';
import { createClient } from '../adapters/kubernetes/client.ts';
import { applicationsElsewhere } from '../core/platform/application-name.ts';
import type { Cluster } from './cluster.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { namesOnly } from './names-only.ts';
import { openTransport } from './open-transport.ts';
import type { Settings } from './settings.ts';

/** Opens what the options mean: the embedded cluster, or the one of a kubeconfig. Nothing is contacted yet. */
export async function openCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
  if (settings.raw.sandbox === true) {
    // Loaded only here: who has a real cluster should not wait for it.
    const { sandboxCluster } = await import('./sandbox-cluster.ts');
    return sandboxCluster(io, loaded, settings);
  }
  mustNotMeanTheSandbox(settings);
  return realCluster(io, loaded, settings);
}

/** Somebody who asks for a fault has the sandbox in mind: a real cluster must not be touched by mistake. */
export function mustNotMeanTheSandbox({ raw }: Settings): void {
  const meant = (['fault', 'scenario', 'speed'] as const).find((option) => raw[option] !== undefined);
  if (meant === undefined) return;
  throw new ExitError(
    3,
    `--${meant} is for the sandbox only`,
    'Add --sandbox, or leave it out to use the real cluster.',
  );
}

async function realCluster(io: Io, { platform }: LoadedPlatform, settings: Settings): Promise<Cluster> {
  const { transport, context, close } = await openTransport(io, settings);
  const ending = new AbortController();
  const world = connectWorld({
    transport,
    clock: systemClock,
    platform: platform.name,
    argocdNamespace: platform.environment.argocdNamespace,
    workflowsNamespace: platform.environment.workflowsNamespace,
    elsewhere: applicationsElsewhere(platform),
    newId: systemId,
    random: systemRandom,
    identity: settings.runsWorkflow === true ? workflowIdentity : `${hostname()}/${process.pid}`,
    signal: ending.signal,
    onTrouble: (sentence) => {
      if (settings.logLevel === 'debug') io.err(`${sentence}\n`);
    },
  });
  return {
    world,
    names: createClient(namesOnly(transport), { clock: systemClock, random: systemRandom, userAgent: 'tiphys' }),
    name: context,
    isSandbox: false,
    seconds: new Map(),
    drive: (work) => work(),
    serveSteps: async () => undefined,
    close() {
      ending.abort(new Error('done'));
      close();
    },
  };
}

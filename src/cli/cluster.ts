import { hostname } from 'node:os';
import { workflowIdentity } from '../adapters/argo-workflows/connect-agent.ts';
import { connectWorld } from '../adapters/argocd/connect-world.ts';
import { seededIds } from '../adapters/clock/seeded-ids.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../adapters/clock/system-random.ts';
import { createClient, type KubeClient } from '../adapters/kubernetes/client.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { applicationsElsewhere } from '../core/platform/application-name.ts';
import type { World } from '../engine/ports.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { namesOnly } from './names-only.ts';
import { openSandbox } from './open-sandbox.ts';
import { openTransport } from './open-transport.ts';
import { serveSandbox } from './serve-sandbox.ts';
import type { Settings } from './settings.ts';

/** The cluster a command works on. */
export interface Cluster {
  readonly world: World;
  /** The same cluster, asked for names and labels only. */
  readonly names: KubeClient;
  /** Where it is, for people: a context's name, or the sandbox. */
  readonly name: string;
  readonly isSandbox: boolean;
  /** Runs work that needs the cluster's time to go on. Virtual time moves only in here. */
  drive<T>(work: () => Promise<T>): Promise<T>;
  /** Expected seconds by node, where a scenario tells them. */
  readonly seconds: ReadonlyMap<string, number>;
  /** The agent of the sandbox, which has no other; a real cluster has its own. Ends with the signal. */
  serveSteps(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Opens what the options mean: the embedded cluster, or the one of a kubeconfig. Nothing is contacted yet. */
export async function openCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
  if (settings.raw.sandbox === true) return sandboxCluster(io, loaded, settings);
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

async function sandboxCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
  const opened = await openSandbox(io, loaded, settings);
  const ending = new AbortController();
  const ids = seededIds(1);
  const transport: Transport = (request) =>
    opened.sandbox.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${opened.token}` } });
  const world = connectWorld({
    transport,
    clock: opened.time,
    platform: loaded.platform.name,
    argocdNamespace: loaded.platform.environment.argocdNamespace,
    workflowsNamespace: loaded.platform.environment.workflowsNamespace,
    elsewhere: applicationsElsewhere(loaded.platform),
    newId: ids.next,
    random: ids.random,
    ...(settings.runsWorkflow === true ? { identity: workflowIdentity } : {}),
    signal: ending.signal,
  });
  return {
    world,
    names: createClient(namesOnly(transport), { clock: opened.time, random: ids.random, userAgent: 'tiphys' }),
    name: `the embedded sandbox (${opened.speedText})`,
    isSandbox: true,
    seconds: opened.seconds,
    drive: opened.drive,
    serveSteps: (signal) =>
      serveSandbox(
        { transport, clock: opened.time, namespace: loaded.platform.environment.workflowsNamespace },
        signal,
      ),
    close() {
      ending.abort(new Error('done'));
      opened.sandbox.stop();
    },
  };
}

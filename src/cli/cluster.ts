import { hostname } from 'node:os';
import { connectWorld } from '../adapters/argocd/connect-world.ts';
import { seededIds } from '../adapters/clock/seeded-ids.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../adapters/clock/system-random.ts';
import { httpsTransport } from '../adapters/kubernetes/https-transport.ts';
import { connect } from '../adapters/kubernetes/kubeconfig.ts';
import { applicationsElsewhere } from '../core/platform/application-name.ts';
import type { World } from '../engine/ports.ts';
import { guardSecrets } from './guard-secrets.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { openSandbox } from './open-sandbox.ts';
import type { Settings } from './settings.ts';

/** The cluster a command works on. */
export interface Cluster {
  readonly world: World;
  /** Where it is, for people: a context's name, or the sandbox. */
  readonly name: string;
  readonly isSandbox: boolean;
  /** Runs work that needs the cluster's time to go on. Virtual time moves only in here. */
  drive<T>(work: () => Promise<T>): Promise<T>;
  /** Expected seconds by node, where a scenario tells them. */
  readonly seconds: ReadonlyMap<string, number>;
  close(): void;
}

/** Opens what the options mean: the embedded cluster, or the one of a kubeconfig. Nothing is contacted yet. */
export async function openCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
  if (settings.raw.sandbox === true) return sandboxCluster(io, loaded, settings);
  mustNotMeanTheSandbox(settings);
  return realCluster(io, loaded, settings);
}

/** Somebody who asks for a fault has the sandbox in mind: a real cluster must not be touched by mistake. */
function mustNotMeanTheSandbox({ raw }: Settings): void {
  const meant = (['fault', 'scenario', 'speed'] as const).find((option) => raw[option] !== undefined);
  if (meant === undefined) return;
  throw new ExitError(
    3,
    `--${meant} is for the sandbox only`,
    'Add --sandbox, or leave it out to use the real cluster.',
  );
}

async function realCluster(io: Io, { platform }: LoadedPlatform, settings: Settings): Promise<Cluster> {
  const { raw } = settings;
  const connection = await connect({
    ...(settings.kubeconfigData === undefined ? {} : { data: settings.kubeconfigData }),
    ...(raw.kubeconfig === undefined ? {} : { path: raw.kubeconfig }),
    ...(io.env['KUBECONFIG'] === undefined ? {} : { variable: io.env['KUBECONFIG'] }),
    ...(io.home === undefined ? {} : { home: io.home }),
    ...(raw.context === undefined ? {} : { context: raw.context }),
  });
  const guarded = guardSecrets(connection);
  const transport = httpsTransport(guarded.connection);
  const ending = new AbortController();
  const world = connectWorld({
    transport: guarded.guard(transport),
    clock: systemClock,
    platform: platform.name,
    argocdNamespace: platform.environment.argocdNamespace,
    elsewhere: applicationsElsewhere(platform),
    newId: systemId,
    random: systemRandom,
    identity: `${hostname()}/${process.pid}`,
    signal: ending.signal,
    onTrouble: (sentence) => {
      if (settings.logLevel === 'debug') io.err(`${sentence}\n`);
    },
  });
  return {
    world,
    name: connection.context,
    isSandbox: false,
    seconds: new Map(),
    drive: (work) => work(),
    close() {
      ending.abort(new Error('done'));
      transport.close();
    },
  };
}

async function sandboxCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
  const opened = await openSandbox(io, loaded, settings);
  const ending = new AbortController();
  const ids = seededIds(1);
  const world = connectWorld({
    transport: (request) =>
      opened.sandbox.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${opened.token}` } }),
    clock: opened.time,
    platform: loaded.platform.name,
    argocdNamespace: loaded.platform.environment.argocdNamespace,
    elsewhere: applicationsElsewhere(loaded.platform),
    newId: ids.next,
    random: ids.random,
    signal: ending.signal,
  });
  return {
    world,
    name: `the embedded sandbox (${opened.speedText})`,
    isSandbox: true,
    seconds: opened.seconds,
    drive: opened.drive,
    close() {
      ending.abort(new Error('done'));
      opened.sandbox.stop();
    },
  };
}

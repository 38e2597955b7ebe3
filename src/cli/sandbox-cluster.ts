import { workflowIdentity } from '../adapters/argo-workflows/connect-agent.ts';
import { connectWorld } from '../adapters/argocd/connect-world.ts';
import { seededIds } from '../adapters/clock/seeded-ids.ts';
import { createClient } from '../adapters/kubernetes/client.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { applicationsElsewhere } from '../core/platform/application-name.ts';
import type { Cluster } from './cluster.ts';
import type { Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { namesOnly } from './names-only.ts';
import { openSandbox } from './open-sandbox.ts';
import { serveSandbox } from './serve-sandbox.ts';
import type { Settings } from './settings.ts';

/** The embedded cluster, fresh, in this process. */
export async function sandboxCluster(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<Cluster> {
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

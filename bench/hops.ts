import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connectWorld } from '../src/adapters/argocd/connect-world.ts';
import { seededIds } from '../src/adapters/clock/seeded-ids.ts';
import { systemClock } from '../src/adapters/clock/system-clock.ts';
import { httpsTransport } from '../src/adapters/kubernetes/https-transport.ts';
import { deploy } from '../src/engine/deploy.ts';
import { platformOf, play } from '../test/harness.ts';
import { type Benchmark, type Figure, judged, milliseconds, quantile } from './figure.ts';
import type { HopRecord } from './hop-server.ts';
import { chainsDag } from './synthetic-platform.ts';

const chains = 6;
const length = 13;

/**
 * From the moment the API shows a dependency Healthy until an operation is patched onto its dependent: over HTTP on loopback,
 * in real time, the cluster in another process. Both moments are taken from the cluster's record. The apps are of kinds whose
 * gate has no stability window.
 */
export const hops: Benchmark = async ({ built }) => {
  const server = `${built}/hop-server.js`;
  const ready = await hopTimes(server, { hasParents: false, overlooks: 'never' });
  const overlooked = await hopTimes(server, { hasParents: false, overlooks: 'as-seen' });
  const created = await hopTimes(server, { hasParents: true, overlooks: 'never' });
  const count = ready.own.length;
  const told = (what: string, values: readonly number[]): Figure => ({
    what,
    value: `p50 ${milliseconds(quantile(values, 0.5))}, p99 ${milliseconds(quantile(values, 0.99))}`,
  });
  return [
    judged(
      `hop over HTTP, ${count} hops: Healthy → dependent’s operation patched, p50`,
      quantile(ready.own, 0.5),
      ['≤', 50],
      milliseconds,
    ),
    judged('… p99', quantile(ready.own, 0.99), ['≤', 250], milliseconds),
    told('… when Argo CD overlooks 1 request in 80 and is asked again after 2 s', overlooked.own),
    told('… when the dependent’s Application must be created: until its parent is patched', created.parent),
    told('… and until the dependent itself is patched, Argo CD’s own work included', created.own),
  ];
};

interface HopTimes {
  readonly own: readonly number[];
  readonly parent: readonly number[];
}

async function hopTimes(
  server: string,
  { hasParents, overlooks }: { hasParents: boolean; overlooks: 'never' | 'as-seen' },
): Promise<HopTimes> {
  const dag = chainsDag(chains, length, hasParents);
  const child = fork(server, [dag, overlooks]);
  try {
    const [url] = (await once(child, 'message')) as [string];
    await deployTo(url, dag);
    const answer = once(child, 'message');
    child.send('record');
    const [record] = (await answer) as [HopRecord];
    return timesOf(record);
  } finally {
    await ended(child);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

async function deployTo(url: string, dag: string): Promise<void> {
  const platform = platformOf(dag);
  const connection = { server: url, context: 'bench', renews: false };
  const credentials = { headers: { authorization: 'Bearer admin' }, tls: {} };
  const transport = httpsTransport({ ...connection, credentials: async () => credentials });
  const ending = new AbortController();
  const ids = seededIds(1);
  const world = connectWorld({
    transport,
    clock: systemClock,
    platform: platform.name,
    argocdNamespace: platform.environment.argocdNamespace,
    newId: ids.next,
    random: ids.random,
    signal: ending.signal,
  });
  const order = { platform, runId: 'bench', scope: { kind: 'platform' }, order: 'edges', parallelism: 0 } as const;
  const { run } = await play(deploy(world, order, new AbortController().signal));
  ending.abort();
  transport.close();
  if (run.exitCode !== 0) throw new Error(`the deployment ended with ${run.exitCode}`);
}

function timesOf({ healthyAt, patchedAt }: HopRecord): HopTimes {
  const own: number[] = [];
  const parent: number[] = [];
  for (let chain = 0; chain < chains; chain++) {
    for (let link = 1; link < length; link++) {
      const since = healthyAt[`link-${chain}-${link - 1}`];
      const patched = patchedAt[`link-${chain}-${link}`]?.[0];
      if (since === undefined || patched === undefined) throw new Error(`link-${chain}-${link} was not deployed`);
      own.push(patched - since);
      const above = (patchedAt[`parent-${chain}`] ?? []).find((at) => at >= since);
      if (above !== undefined) parent.push(above - since);
    }
  }
  return { own, parent };
}

import type { KubeClient } from '../../adapters/kubernetes/client.ts';
import { ApiError } from '../../adapters/kubernetes/errors.ts';
import {
  chartAddress,
  endpointAddress,
  gitAddress,
  registryAddress,
  usualRegistries,
} from '../../core/preflight/addresses.ts';
import { type Finding, passed, unseen, warned } from '../../core/preflight/finding.ts';
import {
  isOver,
  judgeProbe,
  type Probed,
  type ProbeStatus,
  probedAddresses,
  probePod,
} from '../../core/preflight/pod-probe.ts';
import type { Check } from '../check.ts';
import type { Surroundings } from '../surroundings.ts';

/** R3.4: the same addresses from inside the cluster. It takes a Pod, so it is done only when asked for; the Pod is removed. */
export const fromCluster: Check = {
  id: 'from-cluster',
  title: 'From inside the cluster',
  area: 'connectivity',
  deadlineMs: 120_000,
  stopsBootstrap: false,
  cleanUpMs: 15_000,
  async run(surroundings, signal) {
    if (surroundings.fromCluster === undefined)
      return [
        unseen(
          'inside the cluster',
          'it takes a Pod, and preflight changes nothing unless it is told to',
          'Add `--from-cluster <namespace>`: one Pod is made there and removed.',
        ),
      ];
    const place = surroundings.fromCluster;
    const image = surroundings.section.image ?? usualImage;
    const probed = addressesOf(surroundings);
    const { client } = surroundings.cluster;
    const pod = probePod({ ...place, image, urls: probed.map(({ url }) => url) });
    await client.create(podsIn(place), pod, signal).catch(async (error: unknown) => {
      // Refused, so there is nothing to take away; after any other trouble there may be.
      if (!(error instanceof ApiError)) await remove(client, place);
      throw error;
    });
    let found: readonly Finding[];
    let removed: Finding | undefined;
    try {
      const status = await ended(surroundings, place, signal);
      const complaint = isOver(status) ? undefined : await lastComplaint(client, place, signal);
      found = judgeProbe({ ...status, complaint }, probed, image);
    } finally {
      removed = await remove(client, place);
    }
    return [...found, removed];
  },
};

type Place = NonNullable<Surroundings['fromCluster']>;

const usualImage = 'docker.io/curlimages/curl:8.14.1';
const patienceMs = 90_000;

function podsIn({ namespace }: Place): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** Everything that is tried from here. */
function addressesOf({ platform, section, charts }: Surroundings): readonly Probed[] {
  return probedAddresses([
    gitAddress(platform.environment.gitRepository),
    ...(charts.kind === 'sources' ? charts.sources.map(chartAddress) : []),
    ...(section.registries ?? usualRegistries).map(registryAddress),
    ...(section.endpoints ?? []).map(endpointAddress),
  ]);
}

async function ended({ cluster, clock }: Surroundings, place: Place, signal: AbortSignal): Promise<ProbeStatus> {
  const deadline = clock.now() + patienceMs;
  for (;;) {
    const pod = await cluster.client.get<{ status?: ProbeStatus }>(`${podsIn(place)}/${place.name}`, signal);
    // Somebody else has taken it away; it will tell nothing any more.
    if (pod === undefined) return { phase: 'gone' };
    const { status = {} } = pod;
    if (isOver(status) || clock.now() > deadline) return status;
    await clock.sleep(1_000, signal);
  }
}

/** What the cluster says about a Pod that does not start stands in its events alone, and is only told if we may read them. */
async function lastComplaint(
  client: KubeClient,
  { namespace, name }: Place,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.name=${name},type=Warning`;
  const listed = client.list<{ message?: string }>(`/api/v1/namespaces/${namespace}/events`, { fieldSelector }, signal);
  const { items } = await listed.catch(() => ({ items: [] }));
  return items.at(-1)?.message;
}

/** Also after Ctrl-C, so with no signal but the client's own patience. */
async function remove(client: KubeClient, { namespace, name }: Place): Promise<Finding> {
  try {
    await client.delete(`/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: 0 });
    return passed('Pod', `${namespace}/${name} was made for this look, and removed`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return warned(
      'Pod',
      `${namespace}/${name} was made for this look and could not be removed: ${why}`,
      `\`kubectl delete pod ${name} -n ${namespace}\``,
    );
  }
}

import type { KubeClient } from '../../adapters/kubernetes/client.ts';
import { ApiError } from '../../adapters/kubernetes/errors.ts';
import {
  chartAddress,
  gitAddress,
  registryBase,
  registryHost,
  usualRegistries,
} from '../../core/preflight/addresses.ts';
import { type Finding, passed, unseen, warned } from '../../core/preflight/finding.ts';
import { isOver, judgeProbe, type Probed, type ProbeStatus, probePod } from '../../core/preflight/pod-probe.ts';
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
    const { namespace, name } = surroundings.fromCluster;
    const image = surroundings.section.image ?? usualImage;
    const probed = addressesOf(surroundings);
    const { client } = surroundings.cluster;
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const pod = probePod({ name, namespace, image, urls: probed.map(({ url }) => url) });
    await client.create(pods, pod, signal).catch(async (error: unknown) => {
      // Refused, so there is nothing to take away; after any other trouble there may be.
      if (!(error instanceof ApiError)) await remove(client, { namespace, name });
      throw error;
    });
    let found: readonly Finding[];
    let removed: Finding | undefined;
    try {
      found = judgeProbe(await ended(surroundings, `${pods}/${name}`, signal), probed, image);
    } finally {
      removed = await remove(client, { namespace, name });
    }
    return [...found, removed];
  },
};

const usualImage = 'docker.io/curlimages/curl:8.14.1';
const patienceMs = 90_000;

function addressesOf({ platform, section, charts }: Surroundings): readonly Probed[] {
  const addresses = [
    gitAddress(platform.environment.gitRepository),
    ...(charts.kind === 'sources' ? charts.sources.map(chartAddress) : []),
  ];
  const registries = (section.registries ?? usualRegistries).map((registry) => ({
    about: `registry ${registryHost(registry)}`,
    url: `${registryBase(registry)}/v2/`,
  }));
  return [
    ...addresses.flatMap(({ about, reach }) => (reach.by === 'http' ? [{ about, url: reach.url }] : [])),
    ...registries,
  ];
}

async function ended({ cluster, clock }: Surroundings, path: string, signal: AbortSignal): Promise<ProbeStatus> {
  const deadline = clock.now() + patienceMs;
  for (;;) {
    const { status = {} } = (await cluster.client.get<{ status?: ProbeStatus }>(path, signal)) ?? {};
    if (isOver(status) || clock.now() > deadline) return status;
    await clock.sleep(1_000, signal);
  }
}

/** Also after Ctrl-C, so with no signal but the client's own patience. */
async function remove(client: KubeClient, { namespace, name }: { namespace: string; name: string }): Promise<Finding> {
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

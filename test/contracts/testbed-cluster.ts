import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectWorld } from '../../src/adapters/argocd/connect-world.ts';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../../src/adapters/clock/system-random.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { testbedHome } from '../../testbed/cluster/state.ts';
import { type ContractCluster, waitingOn } from './cluster.ts';
import { furnish } from './furnish.ts';
import { chartServer } from './testbed-charts.ts';
import { gitFolder } from './testbed-git.ts';

/** The testbed that the suite uses: its own, so that nobody's experiments are disturbed. */
export const contractTestbed: string = process.env['TIPHYS_TESTBED'] ?? 'contract';

/** Runs the case on the testbed, beside others, in rooms of its own. */
export async function onTestbed(run: (cluster: ContractCluster) => Promise<void>): Promise<void> {
  const folder = join(testbedHome(process.env), contractTestbed);
  const transport = httpsTransport(await connect({ path: join(folder, 'kubeconfig') }));
  const ending = new AbortController();
  const world = connectWorld({
    transport,
    clock: systemClock,
    platform: 'contract',
    argocdNamespace: 'argocd',
    newId: systemId,
    random: systemRandom,
    signal: ending.signal,
  });
  const mark = `c${randomBytes(3).toString('hex')}`;
  const rooms = join(folder, 'contract', mark);
  mkdirSync(rooms, { recursive: true });
  const charts = chartServer(join(rooms, 'charts'));
  const cluster: ContractCluster = {
    name: 'testbed',
    client: world.client,
    clock: systemClock,
    world,
    git: gitFolder(join(rooms, 'repository')),
    charts,
    named: (name) => `${name}-${mark}`,
    namespace: `ns-${mark}`,
    project: `project-${mark}`,
    // The API server remembers what came after its own start; the first write was long before.
    forgottenVersion: () => '1',
    signal: ending.signal,
    ...waitingOn(systemClock, { pollMs: 50, patienceMs: 60_000 }),
  };
  try {
    await furnish(cluster);
    await run(cluster);
  } finally {
    await cleanUp(world.client, mark);
    ending.abort(new Error('the case is over'));
    charts.close();
    transport.close();
  }
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] };
}

const argo = '/apis/argoproj.io/v1alpha1';

/** What bears the case's mark goes, parents before children so that none comes back; nobody waits for it. */
async function cleanUp(client: KubeClient, mark: string): Promise<void> {
  await remove(client, { list: `${argo}/applicationsets`, mark });
  // Twice: a parent may have made a child while its siblings were listed.
  for (let round = 0; round < 2; round++) await remove(client, { list: `${argo}/applications`, mark, freed: true });
  await remove(client, { list: `${argo}/appprojects`, mark });
  await remove(client, { list: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', mark });
  await remove(client, { list: '/apis/rbac.authorization.k8s.io/v1/clusterroles', mark });
  await remove(client, { list: '/api/v1/namespaces', mark });
}

async function remove(
  client: KubeClient,
  { list, mark, freed = false }: { list: string; mark: string; freed?: boolean },
): Promise<void> {
  const { items } = await client.list<Named>(list);
  const marked = items.filter(({ metadata }) => metadata.name.includes(mark));
  await Promise.all(
    marked.map(async ({ metadata: { name, namespace, finalizers = [] } }) => {
      const path = namespace === undefined ? `${list}/${name}` : inNamespace(list, namespace, name);
      await client.delete(path);
      if (freed && finalizers.length > 0) await letGo(client, path);
    }),
  );
}

async function letGo(client: KubeClient, path: string): Promise<void> {
  if ((await client.get(path)) !== undefined) await client.mergePatch(path, { metadata: { finalizers: [] } });
}

function inNamespace(list: string, namespace: string, name: string): string {
  const cut = list.lastIndexOf('/');
  return `${list.slice(0, cut)}/namespaces/${namespace}${list.slice(cut)}/${name}`;
}

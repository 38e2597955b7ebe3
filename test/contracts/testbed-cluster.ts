import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectWorld } from '../../src/adapters/argocd/connect-world.ts';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../../src/adapters/clock/system-random.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { testbedHome } from '../../testbed/cluster/state.ts';
import { cleanUp } from './clean-up.ts';
import { type ContractCluster, waitingOn } from './cluster.ts';
import { furnish } from './furnish.ts';
import { chartServer } from './testbed-charts.ts';
import { gitFolder } from './testbed-git.ts';

/** The testbed that the suite uses for a release line of Argo CD: its own, so that nobody's experiments are disturbed. */
export function contractTestbed(line: string): string {
  return `contract-${line.replace('.', '-')}`;
}

/** Runs the case on that testbed, beside others, in rooms of its own. */
export async function onTestbed(line: string, run: (cluster: ContractCluster) => Promise<void>): Promise<void> {
  const folder = join(testbedHome(process.env), contractTestbed(line));
  const transport = httpsTransport(await connect({ path: join(folder, 'kubeconfig') }));
  const ending = new AbortController();
  const mark = `c${randomBytes(3).toString('hex')}`;
  const world = connectWorld({
    transport,
    clock: systemClock,
    platform: 'contract',
    argocdNamespace: 'argocd',
    elsewhere: [`team-${mark}/app-${mark}`],
    newId: systemId,
    random: systemRandom,
    signal: ending.signal,
  });
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
    ...waitingOn(systemClock, { pollMs: 50, patienceMs: 120_000 }),
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

import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient, type KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { kubeconfigOf } from '../cluster/kubeconfigs.ts';
import type { Identity } from '../cluster/pki.ts';
import type { Testbed } from '../testbed.ts';

/** A client of the testbed's API server, as its administrator unless told. */
export async function openTestbed(
  testbed: Pick<Testbed, 'folder'>,
  identity: Identity = 'admin',
): Promise<{ readonly client: KubeClient; close(): void }> {
  const transport = httpsTransport(await connect({ path: kubeconfigOf(testbed, identity) }));
  const client = createClient(transport, { clock: systemClock, userAgent: 'testbed' });
  return { client, close: () => transport.close() };
}

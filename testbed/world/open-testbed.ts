import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient, type KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { Testbed } from '../testbed.ts';

/** A client of the testbed's API server, as its administrator. */
export async function openTestbed({
  folder,
}: Pick<Testbed, 'folder'>): Promise<{ readonly client: KubeClient; close(): void }> {
  const transport = httpsTransport(await connect({ path: join(folder, 'kubeconfig') }));
  const client = createClient(transport, { clock: systemClock, userAgent: 'testbed' });
  return { client, close: () => transport.close() };
}

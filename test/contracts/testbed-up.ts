import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { testbedHome } from '../../testbed/cluster/state.ts';
import { caseMark, cleanUp } from './clean-up.ts';
import { installHealthChecks } from './health-checks.ts';
import { contractTestbed } from './testbed-cluster.ts';

/** Before the suite: the testbed is up, whoever started it. It stays up afterwards: the next run begins sooner. */
export async function setup(): Promise<void> {
  const words = ['testbed/run.mjs', 'up', '--name', contractTestbed];
  execFileSync(process.execPath, words, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' });
  const transport = httpsTransport(
    await connect({ path: join(testbedHome(process.env), contractTestbed, 'kubeconfig') }),
  );
  const client = createClient(transport, { clock: systemClock });
  await installHealthChecks(client);
  await cleanUp(client, caseMark);
  transport.close();
}

/** The repositories of the cases are of no use to anybody afterwards. */
export function teardown(): void {
  rmSync(join(testbedHome(process.env), contractTestbed, 'contract'), { recursive: true, force: true });
}

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { testbedHome } from '../../testbed/cluster/state.ts';
import { caseMark, cleanUp } from './clean-up.ts';
import { installHealthChecks } from './health-checks.ts';
import { contractTestbed } from './testbed-cluster.ts';

/**
 * Before the suite: the testbed is up, whoever started it. It stays up afterwards: the next run begins sooner. Only the repositories of
 * the cases go, which are of no use to anybody then.
 */
export async function setup({ config }: TestProject): Promise<() => void> {
  const line = config.env['TIPHYS_CONTRACT'] as string;
  const name = contractTestbed(line);
  const words = ['testbed/run.mjs', 'up', '--name', name, '--argocd', line];
  execFileSync(process.execPath, words, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' });
  const folder = join(testbedHome(process.env), name);
  const transport = httpsTransport(await connect({ path: join(folder, 'kubeconfig') }));
  const client = createClient(transport, { clock: systemClock });
  await installHealthChecks(client);
  await cleanUp(client, caseMark);
  transport.close();
  return () => rmSync(join(folder, 'contract'), { recursive: true, force: true });
}

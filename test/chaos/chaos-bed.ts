import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Platform } from '../../src/core/platform/platform.ts';
import { isRunning } from '../../testbed/cluster/processes.ts';
import { readState, testbedHome } from '../../testbed/cluster/state.ts';
import { clusterSnapshot } from '../real/cluster-snapshot.ts';
import { freshTestbed, type RealBed } from '../real/testbed.ts';
import { eventually } from '../real/waiting.ts';

/** A testbed with the platform of test/chaos published into it, whose processes may be killed. */
export interface ChaosBed extends RealBed {
  readonly platform: Platform;
  /** Every object there was before the platform came. */
  readonly before: ReadonlySet<string>;
  /** Git again, and what a bootstrap brings; where it is there already nothing changes. */
  furnish(): Promise<void>;
  /** SIGKILL for one process of the testbed. */
  kill(component: string): Promise<void>;
  /** `testbed up`: starts what is not running. */
  heal(): Promise<void>;
}

export const folder = 'test/chaos/platform';
const name = 'chaos';

export async function chaosBed(): Promise<ChaosBed> {
  const bed = await freshTestbed(name);
  const before = await firstSnapshot(bed);
  const furnish = (): Promise<{ platform: Platform }> => bed.publish(folder, { speed: 1 });
  const { platform } = await furnish();
  return {
    ...bed,
    platform,
    before,
    furnish: async () => void (await furnish()),
    kill: killComponent,
    async heal() {
      await promisify(execFile)(process.execPath, ['testbed/run.mjs', 'up', '--name', name]);
    },
  };
}

/** A definition that is served already may be a moment late in the list of everything that is served. */
function firstSnapshot({ client }: RealBed): Promise<ReadonlySet<string>> {
  return eventually('the snapshot knows Argo CD’s own kinds', async () => {
    const found = await clusterSnapshot(client);
    return found.has('AppProject argocd/default') && found;
  });
}

async function killComponent(component: string): Promise<void> {
  const started = readState(testbedHome(process.env), name)?.processes[component];
  if (started === undefined || !isRunning(started)) throw new Error(`${component} does not run`);
  process.kill(started.pid, 'SIGKILL');
  await eventually(`${component} is gone`, async () => !isRunning(started));
}

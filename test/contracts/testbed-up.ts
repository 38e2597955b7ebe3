import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { testbedHome } from '../../testbed/cluster/state.ts';
import { contractTestbed } from './testbed-cluster.ts';

/** Before the suite: the testbed is up, whoever started it. It stays up afterwards: the next run begins sooner. */
export function setup(): void {
  const words = ['testbed/run.mjs', 'up', '--name', contractTestbed];
  execFileSync(process.execPath, words, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' });
}

/** The repositories of the cases are of no use to anybody afterwards. */
export function teardown(): void {
  rmSync(join(testbedHome(process.env), contractTestbed, 'contract'), { recursive: true, force: true });
}

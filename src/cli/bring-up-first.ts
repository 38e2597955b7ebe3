import { deploy } from '../engine/deploy.ts';
import type { Cluster } from './cluster.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';

/** A fresh sandbox is empty: what wants to look at a platform, or remove one, has it deployed there first, and says so. */
export async function bringUpFirst(io: Io, cluster: Cluster, { platform }: LoadedPlatform): Promise<void> {
  io.err(`The sandbox is fresh: deploying ${platform.name} into it first.\n`);
  const order = {
    platform,
    runId: 'deploy-first',
    scope: { kind: 'platform' as const },
    order: 'edges' as const,
    parallelism: 0,
  };
  let exitCode = 1;
  await cluster.drive(async () => {
    for await (const event of deploy(cluster.world, order, io.stop))
      if (event.type === 'run-finished') exitCode = event.exitCode;
  });
  if (io.stop.aborted) throw new ExitError(1, 'stopped while the sandbox was being filled');
  io.err(
    exitCode === 0
      ? 'Deployed; now to what you asked for.\n'
      : `That deployment ended with exit code ${exitCode}, as its faults demand; going on.\n`,
  );
}

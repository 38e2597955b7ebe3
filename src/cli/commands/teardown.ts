import { planTeardown } from '../../core/plan/plan-teardown.ts';
import type { Platform } from '../../core/platform/platform.ts';
import type { ClusterSnapshot } from '../../core/preflight/cluster-snapshot.ts';
import { toReport } from '../../core/report/to-report.ts';
import { observe } from '../../engine/observe.ts';
import { type TeardownOrder, teardown } from '../../engine/teardown.ts';
import { bringUpFirst } from '../bring-up-first.ts';
import type { Cluster } from '../cluster.ts';
import { compareAfter } from '../compare-after.ts';
import { folderOf } from '../folder-of.ts';
import { followRun } from '../follow-run.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError, type Io } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { earlierSnapshot } from '../preflight-inputs.ts';
import { printPlan } from '../print-plan.ts';
import { printReport } from '../print-report.ts';
import { readSettings, type Settings } from '../settings.ts';

export const teardownCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const { platform } = loaded;
  const before = await snapshotBefore(io, settings);
  if (!settings.dryRun) confirmed(platform, settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    if (cluster.isSandbox) await bringUpFirst(io, cluster, loaded);
    const stateful =
      settings.raw.includeStateful === true ? 'all' : await askForStateful(io, cluster, platform, settings);
    const order: TeardownOrder = {
      platform,
      runId: `teardown-${cluster.world.newId()}`,
      scope: settings.scope,
      ...(settings.with === undefined ? {} : { with: settings.with }),
      stateful,
      order: platform.environment.order,
      parallelism: platform.environment.parallelism,
      pvPolicy: platform.environment.pvPolicy,
      includeCrds: settings.raw.includeCrds === true,
      ...(platform.environment.runTimeoutMs === undefined ? {} : { runTimeoutMs: platform.environment.runTimeoutMs }),
    };
    return settings.dryRun
      ? await dryRun(io, cluster, settings, order)
      : await run(io, cluster, settings, { ...order, before });
  } finally {
    cluster.close();
  }
};

/** R7.8: defaults alone never delete. */
function confirmed(platform: Platform, settings: Settings): void {
  if (settings.raw.confirm === platform.name) return;
  const said =
    settings.raw.confirm === undefined
      ? 'teardown removes things and needs your word for it'
      : `--confirm says “${settings.raw.confirm}”, the platform is called “${platform.name}”`;
  throw new ExitError(3, said, `If you mean it: --confirm ${platform.name}. To see first what would go: --dry-run.`);
}

/** What there was before the platform: of a part of it nothing can be said, because the rest is still there. */
async function snapshotBefore(io: Io, { raw, scope }: Settings): Promise<ClusterSnapshot | undefined> {
  if (raw.compare !== undefined && scope.kind !== 'platform')
    throw new ExitError(3, '--compare is about the whole platform', 'Leave out --scope, or --compare.');
  return earlierSnapshot(io, raw.compare);
}

/** Data is asked for once more, app by app; without a person to ask it stays. */
async function askForStateful(
  io: Io,
  cluster: Cluster,
  platform: Platform,
  settings: Settings,
): Promise<ReadonlySet<string>> {
  const observed = await cluster.drive(() => observe(cluster.world, platform, io.stop));
  const there = [...platform.apps.values()].filter((app) => app.stateful && observed.applications.has(app.application));
  const agreed = new Set<string>();
  if (io.ask === undefined || settings.dryRun) return agreed;
  for (const app of there) {
    const answer = await io.ask(`${app.name} holds data. Type its name to remove it too, or press Enter to keep it: `);
    if (answer.trim() === app.name) agreed.add(app.name);
    else io.err(answer.trim() === '' ? `${app.name} is kept.\n` : `That is not its name: ${app.name} is kept.\n`);
  }
  return agreed;
}

async function dryRun(io: Io, cluster: Cluster, settings: Settings, order: TeardownOrder): Promise<number> {
  io.err('Dry run: this is the plan; nothing was changed.\n');
  const observed = await cluster.drive(() => observe(cluster.world, order.platform, io.stop));
  await printPlan(io, settings, planTeardown(order.platform, observed, order));
  return 0;
}

type Order = TeardownOrder & { readonly before: ClusterSnapshot | undefined };

async function run(io: Io, cluster: Cluster, settings: Settings, { before, ...order }: Order): Promise<number> {
  const { world, names } = cluster;
  const events = teardown(world, order, io.stop);
  const told =
    before === undefined ? events : compareAfter(events, { before, platform: order.platform, world, names }, io.stop);
  const result = await cluster.drive(() => followRun({ io, cluster, settings, action: 'teardown' }, told));
  await printReport(io, settings, toReport(result, { action: 'teardown', isSandbox: cluster.isSandbox }));
  return result.exitCode ?? 1;
}

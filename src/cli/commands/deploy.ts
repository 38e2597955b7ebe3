import { planDeploy } from '../../core/plan/plan-deploy.ts';
import { toReport } from '../../core/report/to-report.ts';
import { deploy } from '../../engine/deploy.ts';
import { observe } from '../../engine/observe.ts';
import { type Cluster, openCluster } from '../cluster.ts';
import { folderOf } from '../folder-of.ts';
import { followRun } from '../follow-run.ts';
import type { CommandRun, Invocation } from '../invocation.ts';
import { type LoadedPlatform, loadPlatform } from '../load-platform.ts';
import { printPlan } from '../print-plan.ts';
import { printReport } from '../print-report.ts';
import { readSettings, type Settings } from '../settings.ts';
import { onlyEmbedded } from './later.ts';

export const deployCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  onlyEmbedded(loaded.platform, options);
  const cluster = await openCluster(io, loaded, settings);
  try {
    return await (settings.dryRun
      ? dryRun(invocation, loaded, settings, cluster)
      : run(invocation, loaded, settings, cluster));
  } finally {
    cluster.close();
  }
};

async function run({ io }: Invocation, loaded: LoadedPlatform, settings: Settings, cluster: Cluster): Promise<number> {
  const { platform, folder } = loaded;
  const { environment } = platform;
  const events = deploy(
    cluster.world,
    {
      platform,
      runId: `deploy-${cluster.world.newId()}`,
      scope: settings.scope,
      ...(settings.with === undefined ? {} : { with: settings.with }),
      order: environment.order,
      parallelism: environment.parallelism,
      seconds: cluster.seconds,
      ...(environment.runTimeoutMs === undefined ? {} : { runTimeoutMs: environment.runTimeoutMs }),
    },
    io.stop,
  );
  const result = await cluster.drive(() => followRun({ io, cluster, settings, action: 'deploy' }, events));
  const nextSteps = cluster.isSandbox && result.exitCode === 0 ? sandboxSteps(folder, loaded) : [];
  await printReport(
    io,
    settings,
    toReport(result, { action: 'deploy', nextSteps, folder, isSandbox: cluster.isSandbox }),
  );
  return result.exitCode ?? 1;
}

/** What somebody who has just seen their first run would like to see next. */
function sandboxSteps(folder: string, { platform }: LoadedPlatform): string[] {
  const victim =
    [...platform.apps.values()].find((app) => app.type === 'vault' || app.type === 'ceph') ??
    [...platform.apps.values()][0];
  return [
    `Break it: bin/tiphys deploy ${folder} --sandbox --fault ${victim?.name}=never-healthy`,
    `Take it down: bin/tiphys teardown ${folder} --sandbox --confirm ${platform.name}`,
    'Check your own: bin/tiphys check <your folder>, with dag.yaml and environment.yaml as in platforms/hello',
  ];
}

async function dryRun(
  { io }: Invocation,
  { platform }: LoadedPlatform,
  settings: Settings,
  cluster: Cluster,
): Promise<number> {
  const observed = await cluster.drive(() => observe(cluster.world, platform, io.stop));
  const plan = planDeploy(platform, observed, {
    scope: settings.scope,
    ...(settings.with === undefined ? {} : { with: settings.with }),
    seconds: cluster.seconds,
  });
  io.err('Dry run: this is the plan; nothing was changed.\n');
  await printPlan(io, settings, plan);
  return plan.problems.some(({ severity }) => severity === 'error') ? 3 : 0;
}

import { planDeploy } from '../../core/plan/plan-deploy.ts';
import { planTeardown } from '../../core/plan/plan-teardown.ts';
import { observe } from '../../engine/observe.ts';
import { bringUpFirst } from '../bring-up-first.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printPlan } from '../print-plan.ts';
import { oneOf, readSettings } from '../settings.ts';

export const planCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const action = oneOf('--action', options.action ?? 'deploy', ['deploy', 'teardown'] as const);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    if (cluster.isSandbox && action === 'teardown') await bringUpFirst(io, cluster, loaded);
    const observed = await cluster.drive(() => observe(cluster.world, loaded.platform, io.stop));
    const scope = { scope: settings.scope, ...(settings.with === undefined ? {} : { with: settings.with }) };
    const plan =
      action === 'deploy'
        ? planDeploy(loaded.platform, observed, { ...scope, seconds: cluster.seconds })
        : planTeardown(loaded.platform, observed, {
            ...scope,
            stateful: options.includeStateful === true ? 'all' : new Set(),
          });
    await printPlan(io, settings, plan);
    return plan.problems.some(({ severity }) => severity === 'error') ? 3 : 0;
  } finally {
    cluster.close();
  }
};

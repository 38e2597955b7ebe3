import type { Finding } from '../../core/report/report.ts';
import { toReport } from '../../core/report/to-report.ts';
import { validate } from '../../engine/validate.ts';
import { bringUpFirst } from '../bring-up-first.ts';
import { folderOf } from '../folder-of.ts';
import { followRun } from '../follow-run.ts';
import type { CommandRun } from '../invocation.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printReport } from '../print-report.ts';
import { readSettings } from '../settings.ts';

export const validateCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    if (cluster.isSandbox) await bringUpFirst(io, cluster, loaded);
    let compliance: readonly Finding[] = [];
    const { environment } = loaded.platform;
    const order = {
      platform: loaded.platform,
      runId: `validate-${cluster.world.newId()}`,
      scope: settings.scope,
      ...(settings.with === undefined ? {} : { with: settings.with }),
      ...(environment.runTimeoutMs === undefined ? {} : { runTimeoutMs: environment.runTimeoutMs }),
      found: (found: readonly Finding[]) => {
        compliance = found;
      },
    };
    const run = await cluster.drive(() =>
      followRun({ io, cluster, settings, action: 'validate' }, validate(cluster.world, order, io.stop)),
    );
    await printReport(io, settings, toReport(run, { action: 'validate', compliance, folder: loaded.folder }));
    return run.exitCode ?? 1;
  } finally {
    cluster.close();
  }
};

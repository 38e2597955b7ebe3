import { toReport } from '../../core/report/to-report.ts';
import { attach } from '../../engine/attach.ts';
import { folderOf } from '../folder-of.ts';
import { followRun } from '../follow-run.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printReport } from '../print-report.ts';
import { readSettings } from '../settings.ts';

/** Shows a run that somebody else started, as if it were ours; leaving it does not end it. */
export const attachCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  if (settings.raw.sandbox === true)
    throw new ExitError(3, 'a fresh sandbox has no run to attach to', 'Leave --sandbox out, or start one with deploy.');
  const folder = folderOf(invocation);
  const loaded = await loadPlatform(io, folder, settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    const order = options.workflow === undefined ? {} : { workflow: options.workflow };
    const events = attach(cluster.world, order, io.stop);
    const run = await cluster.drive(() => followRun({ io, cluster, settings, action: 'deploy' }, events));
    if (run.outcome === undefined) {
      io.err(`Left; Workflow ${run.workflow ?? ''} goes on.\n`);
      return 0;
    }
    await printReport(io, settings, toReport(run, { action: 'deploy', nextSteps: [], folder, isSandbox: false }));
    return run.exitCode ?? 1;
  } finally {
    cluster.close();
  }
};

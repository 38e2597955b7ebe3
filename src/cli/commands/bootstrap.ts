import { planBootstrap } from '../../core/bootstrap/plan-bootstrap.ts';
import { toReport } from '../../core/report/to-report.ts';
import { bootstrapPlatform } from '../bootstrap-platform.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { mustNotMeanTheSandbox } from '../open-cluster.ts';
import { printPlan } from '../print-plan.ts';
import { printReport } from '../print-report.ts';
import { readSettings } from '../settings.ts';

export const bootstrapCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  if (settings.raw.sandbox === true)
    throw new ExitError(
      3,
      'the sandbox needs no bootstrap',
      'It has Argo CD already: `tiphys deploy <folder> --sandbox`.',
    );
  mustNotMeanTheSandbox(settings);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const { platform, folder } = loaded;
  if (settings.dryRun) {
    io.err('Dry run: these are the roles; each looks first and changes only what is missing. Nothing was changed.\n');
    await printPlan(io, settings, planBootstrap(platform.name));
    return 0;
  }
  const run = await bootstrapPlatform(io, { loaded, settings });
  const nextSteps = run.exitCode === 0 ? [`Deploy the platform: tiphys deploy ${folder}`] : [];
  await printReport(io, settings, toReport(run, { action: 'bootstrap', nextSteps, folder }));
  return run.exitCode ?? 1;
};

import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { printPreflight } from '../print-preflight.ts';
import { runPreflight } from '../run-preflight.ts';
import { readSettings } from '../settings.ts';

export const preflightCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  if (settings.raw.sandbox === true)
    throw new ExitError(
      3,
      'preflight looks at a real cluster, and the sandbox has nothing to look at',
      'Leave --sandbox out; `tiphys deploy <folder> --sandbox` needs no preflight.',
    );
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  if (io.terminal !== undefined)
    io.err('Looking at this machine, the cluster and the ways out; this takes up to two minutes.\n');
  const report = await runPreflight({ io, loaded, settings, purpose: 'report' });
  await printPreflight(io, settings, report);
  return report.exitCode;
};

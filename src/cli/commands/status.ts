import { pad } from '../../core/report/text-width.ts';
import type { PlatformStatus } from '../../engine/status.ts';
import { readStatus } from '../../engine/status.ts';
import { bringUpFirst } from '../bring-up-first.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printResult } from '../print-report.ts';
import { oneOf, readSettings } from '../settings.ts';

export const statusCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const format = oneOf('--output', settings.output, ['text', 'json'] as const);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    if (cluster.isSandbox) await bringUpFirst(io, cluster, loaded);
    const status = await cluster.drive(() => readStatus(cluster.world, loaded.platform, io.stop));
    await printResult(io, settings, format === 'json' ? JSON.stringify(status, undefined, 2) : statusText(status));
    return 0;
  } finally {
    cluster.close();
  }
};

/** The platform in one screen: phase, lease, and one line an app. */
export function statusText(status: PlatformStatus): string {
  const done = status.apps.filter((app) => app.done).length;
  const width = Math.max(4, ...status.apps.map((app) => app.name.length));
  const lease =
    status.lease === undefined
      ? 'no run holds the lease'
      : `${status.lease.holder} holds the lease since ${status.lease.since}`;
  const run =
    status.workflow === undefined ? '' : `; Workflow ${status.workflow.name} runs since ${status.workflow.since}`;
  const head = `${status.platform}: phase ${status.phase} (${status.phaseName}), ${status.health}; ${done} of ${status.apps.length} apps Healthy; ${lease}${run}`;
  const rows = status.apps.map((app) => {
    const waits =
      app.waitsFor.length === 0
        ? (app.because ?? '')
        : `waits for ${app.waitsFor.slice(0, 4).join(', ')}${app.waitsFor.length > 4 ? ` and ${app.waitsFor.length - 4} more` : ''}`;
    return `${app.done ? '✓' : '·'} ${pad(app.name, width)}  ${pad(app.health, 11)}  ${pad(app.sync, 9)}  ${app.held ? 'held  ' : '      '}${waits}`.trimEnd();
  });
  return [head, '', ...rows].join('\n');
}

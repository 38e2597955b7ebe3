import { formatPosition } from '../../core/platform/format-problems.ts';
import { nearestName } from '../../core/platform/nearest-name.ts';
import { durationText } from '../../core/report/duration-text.ts';
import { type Explanation, explain } from '../../engine/explain.ts';
import { bringUpFirst } from '../bring-up-first.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printResult } from '../print-report.ts';
import { oneOf, readSettings } from '../settings.ts';

export const explainCommand: CommandRun = async (invocation) => {
  const { io, options, args } = invocation;
  const settings = readSettings(options, io.env);
  const format = oneOf('--output', settings.output, ['text', 'json'] as const);
  const loaded = await loadPlatform(io, folderOf(invocation, 1), settings);
  const name = args[0] ?? '';
  const app = loaded.platform.apps.get(name);
  if (app === undefined) {
    const guess = nearestName(name, loaded.platform.apps.keys());
    throw new ExitError(
      3,
      `there is no app called “${name}”`,
      guess === undefined ? 'Use a name from dag.yaml.' : `Did you mean “${guess}”?`,
    );
  }
  const cluster = await openCluster(io, loaded, settings);
  try {
    if (cluster.isSandbox) await bringUpFirst(io, cluster, loaded);
    const explanation = await cluster.drive(() => explain(cluster.world, loaded.platform, app, io.stop));
    await printResult(
      io,
      settings,
      format === 'json' ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation),
    );
    return 0;
  } finally {
    cluster.close();
  }
};

export function explanationText(explanation: Explanation): string {
  const { app, needs, neededBy, timeouts } = explanation;
  const kind = `${explanation.type} app of stack ${app.stack}${explanation.layer === undefined ? '' : `, layer ${explanation.layer}`}`;
  const state = app.done ? 'Healthy at the wanted revision' : (app.because ?? 'not done');
  return [
    `${app.name} — ${kind}, declared at ${formatPosition(explanation.at)}`,
    `  Application  ${app.application}: ${app.sync}, ${app.health}${app.held ? ', held until its turn' : ''}`,
    `  state        ${state}`,
    `  gate         ${explanation.gate}`,
    `  time-outs    sync ${durationText(timeouts.syncMs / 1000)}, health ${durationText(timeouts.healthMs / 1000)}`,
    '',
    needs.length === 0 ? '  needs nothing' : '  needs',
    ...needs.map(
      (need) =>
        `    ${need.done ? '✓' : '·'} ${need.node}${need.edge === 'hard' ? '' : ` (${need.edge})`}${need.done || need.because === undefined ? '' : `: ${need.because}`}`,
    ),
    '',
    neededBy.length === 0
      ? '  nothing needs it'
      : `  needed by ${neededBy.join(', ')}${explanation.blocksInAll > neededBy.length ? ` (${explanation.blocksInAll} apps and parts in all)` : ''}`,
  ].join('\n');
}

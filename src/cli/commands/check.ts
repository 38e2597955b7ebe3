import { levels } from '../../core/graph/levels.ts';
import { formatProblems } from '../../core/platform/format-problems.ts';
import { nodeGraph } from '../../core/platform/node-graph.ts';
import type { Platform } from '../../core/platform/platform.ts';
import type { Problem } from '../../core/problem.ts';
import { readScenario } from '../../sandbox/world/read-scenario.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { readFolder } from '../load-platform.ts';
import { printResult } from '../print-report.ts';
import { oneOf, readSettings } from '../settings.ts';

export const checkCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const format = oneOf('--output', settings.output, ['text', 'json'] as const);
  const folder = folderOf(invocation);
  const { platform, problems, scenario } = await readFolder(io, folder, settings);
  const scenarioProblems =
    platform !== undefined && scenario !== undefined ? readScenario(scenario, platform).problems : [];
  const all = [...problems, ...scenarioProblems];
  const failed = platform === undefined || all.some(({ severity }) => severity === 'error');
  await printResult(io, settings, format === 'json' ? json(platform, all) : text(folder, platform, all));
  return failed ? 3 : 0;
};

function text(folder: string, platform: Platform | undefined, problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const list = problems.length === 0 ? '' : `${formatProblems(problems)}\n\n`;
  if (platform === undefined || errors > 0)
    return `${list}${folder}: ${count(errors, 'error')}${warnings > 0 ? ` and ${count(warnings, 'warning')}` : ''}; nothing would run`;
  const { graph, partNodes } = nodeGraph(platform);
  const edges = [...graph.values()].reduce((sum, needs) => sum + needs.size, 0);
  const parts = partNodes.size === 0 ? '' : `, ${count(partNodes.size, 'part')}`;
  return `${list}${folder}: ok — platform ${platform.name}: ${count(platform.apps.size, 'app')} in ${count(platform.stacks.size, 'stack')}${parts}, ${count(edges, 'edge')}, ${count(levels(graph).length, 'level')}${warnings > 0 ? `, ${count(warnings, 'warning')}` : ''}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function json(platform: Platform | undefined, problems: readonly Problem[]): string {
  return JSON.stringify(
    {
      kind: 'Check',
      ...(platform === undefined
        ? {}
        : { platform: platform.name, apps: platform.apps.size, stacks: platform.stacks.size }),
      problems,
    },
    undefined,
    2,
  );
}

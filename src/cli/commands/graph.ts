import { criticalPath } from '../../core/graph/critical-path.ts';
import { dependentsOf } from '../../core/graph/dependents-of.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { levels } from '../../core/graph/levels.ts';
import { expectedSeconds } from '../../core/plan/plan-deploy.ts';
import { nearestName } from '../../core/platform/nearest-name.ts';
import { nodeGraph } from '../../core/platform/node-graph.ts';
import { appOf } from '../../core/platform/node-name.ts';
import type { EdgeKind, Platform } from '../../core/platform/platform.ts';
import { graphDot } from '../../core/report/graph-dot.ts';
import { graphMermaid } from '../../core/report/graph-mermaid.ts';
import { graphText } from '../../core/report/graph-text.ts';
import type { GraphView } from '../../core/report/graph-view.ts';
import { folderOf } from '../folder-of.ts';
import { useColor } from '../follow-run.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError, type Io } from '../io.ts';
import { loadPlatform } from '../load-platform.ts';
import { expectedBy, scenarioOf } from '../open-sandbox.ts';
import { printResult } from '../print-report.ts';
import { oneOf, readSettings, type Settings } from '../settings.ts';

export const graphCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const format = oneOf('--output', options.output ?? formatOf(options.out), [
    'text',
    'dot',
    'mermaid',
    'svg',
    'json',
  ] as const);
  const { output: _format, ...rest } = options;
  const settings = readSettings(rest, io.env);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const { platform } = loaded;
  const view = viewOf(platform, expectedBy(platform, scenarioOf(loaded)), impactOf(platform, options.impact));
  await printResult(io, settings, await render(io, settings, view, format));
  return 0;
};

/** `--out graph.svg` without `-o` means what its name says. */
function formatOf(file: string | undefined): string {
  const ending = file?.slice(file.lastIndexOf('.') + 1) ?? '';
  return { svg: 'svg', dot: 'dot', gv: 'dot', mmd: 'mermaid', json: 'json' }[ending] ?? 'text';
}

function viewOf(platform: Platform, seconds: ReadonlyMap<string, number>, impact: GraphView['impact']): GraphView {
  const { graph, kindOf } = nodeGraph(platform);
  const kinds = new Map(
    [...graph].map(([name, needs]): [string, Record<string, EdgeKind>] => [
      name,
      Object.fromEntries(
        [...needs].map((need) => [need, kindOf(name, need)] as const).filter(([, kind]) => kind !== 'hard'),
      ),
    ]),
  );
  return {
    title: platform.name,
    graph,
    kinds,
    stacks: new Map([...graph.keys()].map((name) => [name, platform.apps.get(appOf(name))?.stack ?? ''])),
    levels: levels(graph),
    criticalPath: criticalPath(graph, (name) => expectedSeconds(platform, name, seconds)).path,
    ...(impact === undefined ? {} : { impact }),
  };
}

function impactOf(platform: Platform, app: string | undefined): GraphView['impact'] {
  if (app === undefined) return undefined;
  const { graph } = nodeGraph(platform);
  if (!graph.has(app)) {
    const guess = nearestName(app, graph.keys());
    throw new ExitError(
      3,
      `--impact: there is no app called “${app}”`,
      guess === undefined ? 'Use a name from dag.yaml.' : `Did you mean “${guess}”?`,
    );
  }
  return { of: app, nodes: dependentsOf(hardEdges(platform), [app]) };
}

/** A failure blocks along hard and once edges; soft ones let it pass. */
function hardEdges(platform: Platform): Graph {
  const { graph, kindOf } = nodeGraph(platform);
  return new Map(
    [...graph].map(([name, needs]) => [name, new Set([...needs].filter((need) => kindOf(name, need) !== 'soft'))]),
  );
}

async function render(
  io: Io,
  settings: Settings,
  view: GraphView,
  format: 'text' | 'dot' | 'mermaid' | 'svg' | 'json',
): Promise<string> {
  switch (format) {
    case 'text':
      return graphText(view, {
        width: io.columns,
        color: settings.raw.out === undefined && useColor(io, settings, io.outIsTerminal),
      });
    case 'dot':
      return graphDot(view);
    case 'mermaid':
      return graphMermaid(view);
    case 'svg': {
      const [{ graphSvg }, { graphLayout }] = await Promise.all([
        import('../../core/report/graph-svg.ts'),
        import('../graph-layout.ts'),
      ]);
      return graphSvg(view, await graphLayout(view));
    }
    case 'json':
      return JSON.stringify(asJson(view), undefined, 2);
  }
}

function asJson(view: GraphView): object {
  const nodes = [...view.graph]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, needs]) => ({
      name,
      stack: view.stacks.get(name),
      needs: [...needs].sort().map((need) => ({ node: need, edge: view.kinds.get(name)?.[need] ?? 'hard' })),
    }));
  return { kind: 'Graph', platform: view.title, nodes, levels: view.levels, criticalPath: view.criticalPath };
}

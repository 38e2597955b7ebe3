import { drawnNeeds, edgeKind, type GraphView } from './graph-view.ts';
import { printLines, type StyledLine, type TerminalOptions } from './styled-line.ts';
import { pad, textWidth, wrap } from './text-width.ts';

/** The graph by levels: everything in a level may start once the levels above are Healthy. Needs that follow from others are left out. */
export function graphText(view: GraphView, options: TerminalOptions): string {
  const { width } = options;
  const reduced = drawnNeeds(view);
  const names = [...view.graph.keys()].map(textWidth);
  const nameWidth = Math.min(Math.max(8, ...names), Math.max(14, Math.floor(width * 0.4)));
  const critical = new Set(view.criticalPath);
  const lines: StyledLine[] = [titleLine(view)];
  view.levels.forEach((level, index) => {
    lines.push(
      [],
      [
        { text: `Level ${index}`, style: 'strong' },
        { text: `  ${level.length}`, style: 'dim' },
      ],
    );
    for (const name of level) {
      const needs = [...(reduced.get(name) ?? [])].map((need) => withKind(view, name, need));
      lines.push(...nodeLines(view, { name, needs, nameWidth, width, critical: critical.has(name) }));
    }
  });
  return printLines([...lines, ...pathLines(view, width), ...impactLines(view, width)], options);
}

function titleLine({ title, graph, levels }: GraphView): StyledLine {
  const edges = [...graph.values()].reduce((sum, needs) => sum + needs.size, 0);
  const facts = `${graph.size} nodes, ${edges} edges, ${levels.length} levels`;
  return [{ text: title, style: 'strong' }, `: ${facts}`, { text: '  ◆ critical path', style: 'busy' }];
}

function withKind(view: GraphView, name: string, need: string): string {
  const kind = edgeKind(view, name, need);
  return kind === 'hard' ? need : `${need} (${kind})`;
}

interface NodeLine {
  readonly name: string;
  readonly needs: readonly string[];
  readonly nameWidth: number;
  readonly width: number;
  readonly critical: boolean;
}

function nodeLines(view: GraphView, { name, needs, nameWidth, width, critical }: NodeLine): readonly StyledLine[] {
  const hit = view.impact?.nodes.has(name) === true || view.impact?.of === name;
  const mark: StyledLine[number] = { text: hit ? '! ' : critical ? '◆ ' : '  ', style: hit ? 'bad' : 'busy' };
  const shown = hit ? ({ text: pad(name, nameWidth), style: 'bad' } as const) : pad(name, nameWidth);
  if (needs.length === 0) return [[mark, shown]];
  const [first = '', ...more] = wrap(needs.join(', '), width - nameWidth - 6);
  const indent = ' '.repeat(nameWidth + 6);
  return [
    [mark, shown, { text: `  ← ${first}`, style: 'dim' }],
    ...more.map((line): StyledLine => [{ text: indent + line, style: 'dim' }]),
  ];
}

function pathLines({ criticalPath }: GraphView, width: number): readonly StyledLine[] {
  if (criticalPath.length === 0) return [];
  const lines = wrap(criticalPath.join(' → '), width - 2).map((line): StyledLine => [`  ${line}`]);
  return [[], [{ text: 'Critical path', style: 'strong' }], ...lines];
}

function impactLines({ impact }: GraphView, width: number): readonly StyledLine[] {
  if (impact === undefined) return [];
  const names = [...impact.nodes].filter((name) => name !== impact.of).sort();
  const lead =
    names.length === 0 ? 'Nothing waits' : names.length === 1 ? '1 node waits' : `${names.length} nodes wait`;
  const lines = names.length === 0 ? [] : wrap(names.join(', '), width - 2).map((line): StyledLine => [`  ${line}`]);
  return [[], [{ text: `${lead} for ${impact.of}`, style: 'bad' }], ...lines];
}

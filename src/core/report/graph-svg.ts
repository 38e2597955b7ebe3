import { escapeHtml } from './escape-html.ts';
import { drawGraph, type GraphLayout } from './graph-drawing.ts';
import { edgeKey, edgeKind, type GraphView, pathEdges } from './graph-view.ts';

/** The graph as one SVG file that needs nothing else: stacks by colour, soft edges dashed, the critical path thick. */
export function graphSvg(view: GraphView, layout: GraphLayout): string {
  const stacks = [...new Set(view.stacks.values())].sort();
  const legend = drawLegend(stacks, layout.width);
  const width = Math.ceil(Math.max(layout.width, 480) + margin * 2);
  const height = Math.ceil(layout.height + legend.height + margin * 3 + titleHeight);
  const critical = pathEdges(view.criticalPath);
  const onPath = new Set(view.criticalPath);
  const drawing = drawGraph(layout, {
    node: (name) => ({
      className: [
        stackClass(stacks, view.stacks.get(name)),
        ...(onPath.has(name) ? ['critical'] : []),
        ...impactClass(view, name),
      ].join(' '),
      title: `${name} (${view.stacks.get(name) ?? ''})`,
    }),
    edge: (from, to) => ({
      className: [
        edgeKind(view, to, from),
        ...(critical.has(edgeKey(to, from)) ? ['critical'] : []),
        ...edgeImpact(view, from, to),
      ].join(' '),
    }),
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(`Dependency graph of ${view.title}`)}">`,
    `<style>${style}${stackColours(stacks.length)}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<text class="title" x="${margin}" y="${margin + 14}">${escapeHtml(view.title)}</text>`,
    `<g transform="translate(${margin} ${margin + titleHeight})">${drawing}</g>`,
    `<g transform="translate(${margin} ${Math.ceil(layout.height + margin * 2 + titleHeight)})">${legend.text}</g>`,
    '</svg>',
    '',
  ].join('\n');
}

const margin = 24;
const titleHeight = 28;

function stackClass(stacks: readonly string[], stack: string | undefined): string {
  return `stack-${stacks.indexOf(stack ?? '')}`;
}

function impactClass({ impact }: GraphView, name: string): readonly string[] {
  if (impact === undefined) return [];
  return impact.of === name || impact.nodes.has(name) ? ['hit'] : ['faint'];
}

function edgeImpact(view: GraphView, from: string, to: string): readonly string[] {
  return [from, to].some((name) => impactClass(view, name)[0] === 'faint') ? ['faint'] : [];
}

function drawLegend(stacks: readonly string[], room: number): { readonly text: string; readonly height: number } {
  let [x, y] = [0, 0];
  const items = stacks.map((stack, index) => {
    const width = stack.length * 7.1 + 40;
    if (x > 0 && x + width > Math.max(room, 480)) [x, y] = [0, y + 24];
    const item = `<g class="node stack-${index}"><rect x="${x}" y="${y}" width="14" height="14" rx="4"/></g><text class="legend" x="${x + 20}" y="${y + 11}">${escapeHtml(stack)}</text>`;
    x += width;
    return item;
  });
  return { text: items.join('\n'), height: y + 20 };
}

/** Colours around the circle, as far from each other as so many can be. */
function stackColours(count: number): string {
  const hues = Array.from({ length: count }, (_, index) => Math.round((index * 360) / count + 205) % 360);
  const light = hues.map((hue, index) => `.stack-${index} rect{fill:hsl(${hue} 70% 93%);stroke:hsl(${hue} 45% 45%)}`);
  const dark = hues.map((hue, index) => `.stack-${index} rect{fill:hsl(${hue} 35% 22%);stroke:hsl(${hue} 45% 60%)}`);
  return `${light.join('')}@media (prefers-color-scheme:dark){${dark.join('')}}`;
}

const style = `
.paper{fill:#fff}
text{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2733}
.title{font-weight:600;font-size:16px}
.legend{font-size:12px}
.node text{text-anchor:middle;font-size:12px}
.node text.part{font-size:10.5px}
.node rect{stroke-width:1.2}
.node.critical rect{stroke-width:2.6}
.node.critical text{font-weight:600}
.edge{fill:none;stroke:#9aa5b5;stroke-width:1.2}
.edge.soft{stroke-dasharray:5 4}
.edge.once{stroke-dasharray:1.5 3.5}
.edge.critical{stroke:#3b4656;stroke-width:2.6}
.node.hit rect{stroke:#c53030;stroke-width:2.6}
.faint{opacity:.25}
@media (prefers-color-scheme:dark){.paper{fill:#14181f}text{fill:#e4e9f0}.edge{stroke:#566274}.edge.critical{stroke:#c3ccd9}.node.hit rect{stroke:#fc8181}}
`;

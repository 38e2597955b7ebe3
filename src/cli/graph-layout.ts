import { quote } from '../core/report/graph-dot.ts';
import { type GraphLayout, type GraphSketch, graphSketch } from '../core/report/graph-drawing.ts';
import type { GraphView } from '../core/report/graph-view.ts';
import type { Report } from '../core/report/report.ts';
import { reportSketch } from '../core/report/report-graph.ts';

/** Places a platform's graph. */
export function graphLayout(view: GraphView): Promise<GraphLayout> {
  return layoutSketch(graphSketch(view));
}

/** Places the graph of a report. */
export function reportLayout(report: Report): Promise<GraphLayout> {
  return layoutSketch(reportSketch(report));
}

/** Graphviz from left to right; the program is loaded only when a picture is asked for. */
async function layoutSketch(sketch: GraphSketch): Promise<GraphLayout> {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
  const graphviz = await Graphviz.load();
  return readPlain(graphviz.layout(toDot(sketch), 'plain', 'dot'), sketch);
}

const pointsPerInch = 72;

function toDot({ nodes, edges }: GraphSketch): string {
  const ids = new Map(nodes.map(({ name }, index) => [name, `n${index}`]));
  // Curves around a thousand boxes take minutes; straight lines take seconds.
  const splines = nodes.length > 400 ? 'line' : 'spline';
  return [
    `digraph { rankdir=LR; splines=${splines}; nodesep=0.12; ranksep=0.38; node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];`,
    ...nodes.map(({ name, width, height }) => {
      return `${quote(ids.get(name) ?? '')} [width=${inches(width)}, height=${inches(height)}];`;
    }),
    ...edges.map(({ from, to }) => `${quote(ids.get(from) ?? '')} -> ${quote(ids.get(to) ?? '')};`),
    '}',
  ].join('\n');
}

function inches(points: number): string {
  return (points / pointsPerInch).toFixed(4);
}

/** Reads Graphviz' plain format: inches, with y upwards; lines in the order in which nodes and edges were given. */
function readPlain(plain: string, sketch: GraphSketch): GraphLayout {
  const lines = plain.split('\n').map((line) => line.split(' '));
  const graph = lines.find(([kind]) => kind === 'graph') ?? [];
  const [width, height] = [points(graph[2]), points(graph[3])];
  const names = new Map(sketch.nodes.map(({ name }, index) => [`n${index}`, name]));
  const sizes = new Map(sketch.nodes.map((node) => [node.name, node]));
  const nodes = lines
    .filter(([kind]) => kind === 'node')
    .map(([, id = '', x, y]) => {
      const name = names.get(id) ?? '';
      const { width: boxWidth = 0, height: boxHeight = 0 } = sizes.get(name) ?? {};
      return { name, x: points(x), y: height - points(y), width: boxWidth, height: boxHeight };
    });
  const edges = lines
    .filter(([kind]) => kind === 'edge')
    .map(([, from = '', to = '', count = '0', ...rest]) => {
      const curve = rest.slice(0, Number(count) * 2).map(points);
      return { from: names.get(from) ?? '', to: names.get(to) ?? '', path: pathData(curve, height) };
    });
  return { width, height, nodes, edges };
}

/** A Graphviz curve is a first point and then three for every Bézier segment. */
function pathData(curve: readonly number[], height: number): string {
  const pairs: string[] = [];
  for (let index = 0; index + 1 < curve.length; index += 2) {
    pairs.push(`${(curve[index] ?? 0).toFixed(1)},${(height - (curve[index + 1] ?? 0)).toFixed(1)}`);
  }
  const [first, ...others] = pairs;
  return first === undefined ? '' : `M${first}C${others.join(' ')}`;
}

function points(inchesText: string | undefined): number {
  return Number(inchesText ?? 0) * pointsPerInch;
}

import { escapeHtml } from './escape-html.ts';
import { drawnNeeds, type GraphView } from './graph-view.ts';
import { clip } from './text-width.ts';

/** What a layout program has to place: boxes of known size, and which of them are joined. */
export interface GraphSketch {
  readonly nodes: readonly { readonly name: string; readonly width: number; readonly height: number }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Where everything stands: x and y are the middle of a node, y grows downwards, `path` is SVG path data. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

/** The boxes and lines of a graph, before they have a place. Edges go from what is needed to who needs it. */
export function graphSketch(view: Pick<GraphView, 'graph' | 'kinds'>): GraphSketch {
  const needs = drawnNeeds(view);
  return {
    nodes: [...view.graph.keys()].map((name) => ({ name, ...boxSize(name) })),
    edges: [...needs].flatMap(([name, wanted]) => [...wanted].map((need) => ({ from: need, to: name }))),
  };
}

export interface DrawnNode {
  readonly className: string;
  /** Shown when the pointer rests on it, and read aloud. */
  readonly title: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** A sign before the name, so that nothing depends on colour alone. */
  readonly mark?: string;
}

export interface DrawingOptions {
  readonly node: (name: string) => DrawnNode;
  readonly edge: (
    from: string,
    to: string,
  ) => { readonly className: string; readonly attributes?: Readonly<Record<string, string>> };
}

/** The SVG elements of a placed graph: all edges, then all nodes. The caller gives the frame and the colours. */
export function drawGraph(layout: GraphLayout, { node, edge }: DrawingOptions): string {
  const edges = layout.edges.map(({ from, to, path }) => {
    const { className, attributes = {} } = edge(from, to);
    return `<path class="edge ${escapeHtml(className)}"${attributesText(attributes)} d="${escapeHtml(path)}"/>`;
  });
  const nodes = layout.nodes.map((place) => drawNode(place, node(place.name)));
  return `<g class="edges">${edges.join('\n')}</g>\n<g class="nodes">${nodes.join('\n')}</g>`;
}

function drawNode(place: GraphLayout['nodes'][number], drawn: DrawnNode): string {
  const { name, x, y, width, height } = place;
  const { className, title, attributes = {}, mark } = drawn;
  const tag = 'href' in attributes ? 'a' : 'g';
  const radius = isPart(name) ? height / 2 : 6;
  const label = clip(mark === undefined ? name : `${mark} ${name}`, labelLimit + 2);
  const box = `x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}"`;
  return [
    `<${tag} class="node ${escapeHtml(className)}"${attributesText(attributes)}>`,
    `<title>${escapeHtml(title)}</title><rect ${box}/>`,
    `<text x="${round(x)}" y="${round(y)}" dy="0.35em"${isPart(name) ? ' class="part"' : ''}>${escapeHtml(label)}</text></${tag}>`,
  ].join('');
}

const labelLimit = 28;

function boxSize(name: string): { width: number; height: number } {
  const letters = Math.min(labelLimit, name.length);
  return isPart(name) ? { width: letters * 6.2 + 30, height: 22 } : { width: letters * 7.2 + 34, height: 30 };
}

function isPart(name: string): boolean {
  return name.includes('#');
}

function attributesText(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeHtml(value)}"`)
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

import { edgeKey, edgeKind, type GraphView, nodesByStack, pathEdges } from './graph-view.ts';

/** The graph in Graphviz' language: stacks as clusters, edges from what is needed to who needs it. */
export function graphDot(view: GraphView): string {
  const critical = pathEdges(view.criticalPath);
  const clusters = nodesByStack(view).flatMap(([stack, names], index) => [
    `  subgraph ${quote(`cluster_${index}`)} {`,
    `    label=${quote(stack)}; style=rounded; color="#8a94a6"; fontcolor="#4a5568";`,
    ...names.map((name) => `    ${quote(name)}${attributes(nodeStyle(view, name))};`),
    '  }',
  ]);
  const edges = [...view.graph.keys()].sort().flatMap((name) =>
    [...(view.graph.get(name) ?? [])].sort().map((need) => {
      const style = edgeStyle(edgeKind(view, name, need), critical.has(edgeKey(name, need)));
      return `  ${quote(need)} -> ${quote(name)}${attributes(style)};`;
    }),
  );
  return [
    `digraph ${quote(view.title)} {`,
    '  rankdir=LR; newrank=true; compound=true; fontname="Helvetica";',
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#8a94a6", fontname="Helvetica", fontsize=11];',
    '  edge [color="#8a94a6", arrowsize=0.7];',
    ...clusters,
    ...edges,
    '}',
    '',
  ].join('\n');
}

function nodeStyle({ impact, criticalPath }: GraphView, name: string): readonly string[] {
  const marked = impact?.of === name || impact?.nodes.has(name) === true;
  return [
    ...(name.includes('#') ? ['shape=ellipse'] : []),
    ...(criticalPath.includes(name) ? ['penwidth=2'] : []),
    ...(marked ? ['fillcolor="#fde2e1"', 'color="#c53030"'] : []),
  ];
}

function edgeStyle(kind: string, critical: boolean): readonly string[] {
  return [
    ...(kind === 'hard' ? [] : [`style=${kind === 'soft' ? 'dashed' : 'dotted'}`]),
    ...(critical ? ['penwidth=2.5'] : []),
  ];
}

function attributes(list: readonly string[]): string {
  return list.length === 0 ? '' : ` [${list.join(', ')}]`;
}

/** A DOT string: only the quote, the backslash and line breaks mean something in it. */
export function quote(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/[\r\n]+/g, ' ')}"`;
}

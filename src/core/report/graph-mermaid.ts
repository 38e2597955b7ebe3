import { edgeKey, edgeKind, type GraphView, nodesByStack, pathEdges } from './graph-view.ts';

/** The graph in Mermaid's language, for Markdown: stacks as subgraphs, soft edges dotted, the critical path thick. */
export function graphMermaid(view: GraphView): string {
  const critical = pathEdges(view.criticalPath);
  const ids = new Map([...view.graph.keys()].sort().map((name, index) => [name, `n${index}`]));
  const id = (name: string): string => ids.get(name) ?? 'unknown';
  const stacks = nodesByStack(view).flatMap(([stack, names], index) => [
    `  subgraph s${index}[${label(stack)}]`,
    ...names.map((name) => `    ${id(name)}${name.includes('#') ? `([${label(name)}])` : `[${label(name)}]`}`),
    '  end',
  ]);
  const edges = [...view.graph.keys()].sort().flatMap((name) =>
    [...(view.graph.get(name) ?? [])].sort().map((need) => {
      const arrow = edgeKind(view, name, need) !== 'hard' ? '-.->' : critical.has(edgeKey(name, need)) ? '==>' : '-->';
      return `  ${id(need)} ${arrow} ${id(name)}`;
    }),
  );
  return ['flowchart LR', ...stacks, ...edges, ...impactStyle(view, id), ''].join('\n');
}

function impactStyle({ impact }: GraphView, id: (name: string) => string): readonly string[] {
  if (impact === undefined) return [];
  const hit = [...new Set([impact.of, ...impact.nodes])].sort().map(id);
  return ['  classDef impact fill:#fde2e1,stroke:#c53030,color:#1a202c', `  class ${hit.join(',')} impact`];
}

/** Mermaid reads entities such as `#quot;` in a quoted label, so `#` itself has to be one. */
function label(text: string): string {
  const safe = text.replace(/[^\p{L}\p{N} ._/-]/gu, (character) => `#${character.codePointAt(0) ?? 32};`);
  return `"${safe}"`;
}

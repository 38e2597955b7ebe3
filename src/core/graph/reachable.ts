import type { Graph } from './graph.ts';

/** The given names and everything they need, directly or through others. Names that are not in the graph are left out. */
export function reachable(graph: Graph, from: Iterable<string>): Set<string> {
  const seen = new Set<string>();
  const stack = [...from];
  for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
    const needs = graph.get(name);
    if (needs === undefined || seen.has(name)) continue;
    seen.add(name);
    for (const need of needs) if (!seen.has(need)) stack.push(need);
  }
  return seen;
}

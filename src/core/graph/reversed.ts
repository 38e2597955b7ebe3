import type { Graph } from './graph.ts';

/** Turns every edge round: name → the names that need it. */
export function reversed(graph: Graph): Graph {
  const result = new Map<string, Set<string>>();
  for (const name of graph.keys()) result.set(name, new Set());
  for (const [name, needs] of graph) {
    for (const need of needs) result.get(need)?.add(name);
  }
  return result;
}

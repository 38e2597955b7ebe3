import type { Graph } from './graph.ts';
import { reversed } from './reversed.ts';

/** Groups the names so that each stands right after the last level it needs something of; sorted inside. Throws when the graph has a cycle. */
export function levels(graph: Graph): string[][] {
  const dependents = reversed(graph);
  const waitingFor = new Map([...graph].map(([name, needs]) => [name, needs.size]));
  const result: string[][] = [];
  let placed = 0;
  let level = [...graph.keys()].filter((name) => waitingFor.get(name) === 0).sort();
  while (level.length > 0) {
    result.push(level);
    placed += level.length;
    level = freedBy(level, dependents, waitingFor).sort();
  }
  if (placed < graph.size) throw new Error('a graph with a cycle has no levels');
  return result;
}

function freedBy(level: readonly string[], dependents: Graph, waitingFor: Map<string, number>): string[] {
  const freed: string[] = [];
  for (const name of level) {
    for (const dependent of dependents.get(name) ?? []) {
      const left = (waitingFor.get(dependent) ?? 0) - 1;
      waitingFor.set(dependent, left);
      if (left === 0) freed.push(dependent);
    }
  }
  return freed;
}

import type { Graph } from './graph.ts';
import { levels } from './levels.ts';

/** The fewest edges with the same order: an edge is dropped when a longer way leads to the same name. For drawing; the graph must have no cycle. */
export function transitiveReduction(graph: Graph): Graph {
  const order = levels(graph).flat();
  const places = new Map(order.map((name, place) => [name, place]));
  const words = Math.ceil(order.length / 32);
  const reach = new Uint32Array(order.length * words);
  const kept = new Map<string, Set<string>>();
  order.forEach((name, place) => {
    const needs = [...(graph.get(name) ?? [])].map((need) => places.get(need) ?? 0);
    const direct = keepDirect(needs, { reach, words, row: place * words });
    kept.set(name, new Set(direct.map((need) => order[need] ?? '').sort()));
  });
  return new Map([...graph.keys()].map((name) => [name, kept.get(name) ?? new Set<string>()]));
}

/** One bit for every pair of names: 10,000 names take 12.5 MB, and joining two rows is 313 operations. */
interface Row {
  readonly reach: Uint32Array;
  readonly words: number;
  readonly row: number;
}

/** Later places first: whatever makes a need superfluous stands after it in the order. */
function keepDirect(needs: number[], { reach, words, row }: Row): number[] {
  const direct: number[] = [];
  for (const need of needs.sort((a, b) => b - a)) {
    const word = row + (need >>> 5);
    const bit = 1 << (need & 31);
    if (((reach[word] ?? 0) & bit) !== 0) continue;
    direct.push(need);
    for (let i = 0; i < words; i++) reach[row + i] = (reach[row + i] ?? 0) | (reach[need * words + i] ?? 0);
    reach[word] = (reach[word] ?? 0) | bit;
  }
  return direct;
}

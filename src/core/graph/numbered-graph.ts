import type { Graph } from './graph.ts';

/** The same graph with names replaced by their place in sorted order, for the algorithms that visit every edge many times. */
export interface NumberedGraph {
  readonly names: readonly string[];
  /** For each number, the numbers it needs, ascending. */
  readonly needs: readonly (readonly number[])[];
}

/** Numbers the names of a graph in sorted order, so that equal graphs give equal numbers whatever order they were built in. */
export function numberedGraph(graph: Graph): NumberedGraph {
  const names = [...graph.keys()].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  const needs = names.map((name) => numbersOf(graph.get(name) ?? [], numbers));
  return { names, needs };
}

function numbersOf(names: Iterable<string>, numbers: ReadonlyMap<string, number>): number[] {
  const result: number[] = [];
  for (const name of names) {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`the graph needs "${name}", which is not in it`);
    result.push(number);
  }
  return result.sort((a, b) => a - b);
}

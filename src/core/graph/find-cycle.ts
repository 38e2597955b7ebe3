import type { Graph } from './graph.ts';
import { type NumberedGraph, numberedGraph } from './numbered-graph.ts';
import { strongComponents } from './strong-components.ts';

/** The shortest cycle, each name needing the next and the last the first; the smallest name stands first. Nothing when there is none. */
export function findCycle(graph: Graph): string[] | undefined {
  let shortest: string[] | undefined;
  for (const component of strongComponents(graph)) {
    const cycle = shortestCycleWithin(within(graph, component), shortest?.length ?? Infinity);
    if (cycle !== undefined && isBetter(cycle, shortest)) shortest = cycle;
  }
  return shortest;
}

function within(graph: Graph, names: readonly string[]): Graph {
  const kept = new Set(names);
  return new Map(names.map((name) => [name, new Set([...(graph.get(name) ?? [])].filter((need) => kept.has(need)))]));
}

function isBetter(cycle: readonly string[], than: readonly string[] | undefined): boolean {
  if (than === undefined || cycle.length !== than.length) return than === undefined || cycle.length < than.length;
  return (cycle[0] ?? '') < (than[0] ?? '');
}

/** Looks from each name in turn for the way back to it; names already looked from, and ways longer than the best, are left out. */
function shortestCycleWithin(component: Graph, bound: number): string[] | undefined {
  const numbered = numberedGraph(component);
  const search = {
    numbered,
    seenFrom: new Int32Array(component.size).fill(-1),
    cameFrom: new Int32Array(component.size),
  };
  let best: number[] | undefined;
  for (let start = 0; start < component.size && best?.length !== 1; start++) {
    best = wayBack(start, (best?.length ?? bound + 1) - 1, search) ?? best;
  }
  return best === undefined ? undefined : best.map((number) => numbered.names[number] ?? '');
}

interface Search {
  readonly numbered: NumberedGraph;
  readonly seenFrom: Int32Array;
  readonly cameFrom: Int32Array;
}

function wayBack(start: number, longest: number, search: Search): number[] | undefined {
  let frontier = [start];
  for (let length = 1; length <= longest && frontier.length > 0; length++) {
    const closing = frontier.find((at) => search.numbered.needs[at]?.includes(start));
    if (closing !== undefined) return pathTo(closing, start, search);
    frontier = frontier.flatMap((at) => firstSeen(at, start, search));
  }
  return undefined;
}

/** What this name needs and the search has not met. A cycle through a smaller name than the start was found when looking from that. */
function firstSeen(at: number, start: number, search: Search): number[] {
  const unseen = (search.numbered.needs[at] ?? []).filter((need) => need > start && search.seenFrom[need] !== start);
  for (const need of unseen) {
    search.seenFrom[need] = start;
    search.cameFrom[need] = at;
  }
  return unseen;
}

function pathTo(end: number, start: number, search: Search): number[] {
  const path = [end];
  for (let at = end; at !== start; ) {
    at = search.cameFrom[at] ?? start;
    path.push(at);
  }
  return path.reverse();
}

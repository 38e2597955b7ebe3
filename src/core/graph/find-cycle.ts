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

/** Looks from each name in turn for the way back to it; ways longer than the best are not followed to their end. */
function shortestCycleWithin(component: Graph, bound: number): string[] | undefined {
  const search = startSearch(numberedGraph(component));
  let best: number[] | undefined;
  for (let start = 0; start < component.size && best?.length !== 1; start++) {
    if (search.isGone[start] === 1) continue;
    best = wayBack(start, (best?.length ?? bound + 1) - 1, search) ?? best;
    takeOut(start, search);
  }
  return best?.map((number) => search.numbered.names[number] ?? '');
}

interface Search {
  readonly numbered: NumberedGraph;
  readonly dependents: readonly (readonly number[])[];
  readonly needsLeft: Int32Array;
  readonly isGone: Uint8Array;
  readonly seenFrom: Int32Array;
  readonly cameFrom: Int32Array;
}

function startSearch(numbered: NumberedGraph): Search {
  const size = numbered.names.length;
  const dependents: number[][] = numbered.needs.map(() => []);
  for (const [at, needs] of numbered.needs.entries()) for (const need of needs) dependents[need]?.push(at);
  const needsLeft = Int32Array.from(numbered.needs, (needs) => needs.length);
  const seenFrom = new Int32Array(size).fill(-1);
  return { numbered, dependents, needsLeft, isGone: new Uint8Array(size), seenFrom, cameFrom: new Int32Array(size) };
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

function firstSeen(at: number, start: number, search: Search): number[] {
  const needs = search.numbered.needs[at] ?? [];
  const unseen = needs.filter((need) => search.isGone[need] === 0 && search.seenFrom[need] !== start);
  for (const need of unseen) {
    search.seenFrom[need] = start;
    search.cameFrom[need] = at;
  }
  return unseen;
}

/** Removes a name whose cycles are all known, and then every name that is left without needs: no cycle leads through it. */
function takeOut(name: number, search: Search): void {
  const leaving = [name];
  for (let at = leaving.pop(); at !== undefined; at = leaving.pop()) {
    if (search.isGone[at] === 1) continue;
    search.isGone[at] = 1;
    for (const dependent of search.dependents[at] ?? []) {
      const left = (search.needsLeft[dependent] ?? 0) - 1;
      search.needsLeft[dependent] = left;
      if (left === 0) leaving.push(dependent);
    }
  }
}

function pathTo(end: number, start: number, search: Search): number[] {
  const path = [end];
  for (let at = end; at !== start; ) {
    at = search.cameFrom[at] ?? start;
    path.push(at);
  }
  return path.reverse();
}

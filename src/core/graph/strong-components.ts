import type { Graph } from './graph.ts';
import { type NumberedGraph, numberedGraph } from './numbered-graph.ts';

/** The groups of names that all reach one another, needs first; a name on no cycle is a group of its own. Names are sorted inside a group. */
export function strongComponents(graph: Graph): string[][] {
  const numbered = numberedGraph(graph);
  const search: Search = {
    numbered,
    order: new Int32Array(numbered.names.length).fill(-1),
    lowest: new Int32Array(numbered.names.length),
    nextEdge: new Int32Array(numbered.names.length),
    open: [],
    isOpen: new Uint8Array(numbered.names.length),
    visited: 0,
    components: [],
  };
  for (let start = 0; start < numbered.names.length; start++) {
    if (search.order[start] === -1) searchFrom(start, search);
  }
  return search.components;
}

/** Tarjan's search with the call stack kept as data: a chain of 5,000 names must not overflow it. */
interface Search {
  readonly numbered: NumberedGraph;
  readonly order: Int32Array;
  readonly lowest: Int32Array;
  readonly nextEdge: Int32Array;
  readonly open: number[];
  readonly isOpen: Uint8Array;
  visited: number;
  readonly components: string[][];
}

function searchFrom(start: number, search: Search): void {
  const path = [start];
  enter(start, search);
  while (path.length > 0) {
    const at = path[path.length - 1] ?? 0;
    const need = search.numbered.needs[at]?.[search.nextEdge[at] ?? 0];
    if (need === undefined) {
      path.pop();
      leave(at, path[path.length - 1], search);
      continue;
    }
    search.nextEdge[at] = (search.nextEdge[at] ?? 0) + 1;
    if (search.order[need] === -1) {
      enter(need, search);
      path.push(need);
    } else if (search.isOpen[need] === 1) {
      lower(at, search.order[need] ?? 0, search);
    }
  }
}

function enter(at: number, search: Search): void {
  search.order[at] = search.visited;
  search.lowest[at] = search.visited;
  search.visited += 1;
  search.open.push(at);
  search.isOpen[at] = 1;
}

function leave(at: number, parent: number | undefined, search: Search): void {
  const lowest = search.lowest[at] ?? 0;
  if (parent !== undefined) lower(parent, lowest, search);
  if (lowest !== search.order[at]) return;
  const first = search.open.lastIndexOf(at);
  const members = search.open.splice(first);
  for (const member of members) search.isOpen[member] = 0;
  search.components.push(members.sort((a, b) => a - b).map((member) => search.numbered.names[member] ?? ''));
}

function lower(at: number, to: number, search: Search): void {
  search.lowest[at] = Math.min(search.lowest[at] ?? 0, to);
}

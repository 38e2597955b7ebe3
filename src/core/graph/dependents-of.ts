import type { Graph } from './graph.ts';
import { reachable } from './reachable.ts';
import { reversed } from './reversed.ts';

/** The given names and everything that needs them, directly or through others. */
export function dependentsOf(graph: Graph, from: Iterable<string>): Set<string> {
  return reachable(reversed(graph), from);
}

import { findCycle } from '../graph/find-cycle.ts';
import type { Graph } from '../graph/graph.ts';
import { transitiveReduction } from '../graph/transitive-reduction.ts';
import type { EdgeKind } from '../platform/platform.ts';

/** A platform's graph with what is worth showing about it; the input of every drawing. */
export interface GraphView {
  readonly title: string;
  readonly graph: Graph;
  /** Name → the kind of each of its needs that is not hard. */
  readonly kinds: ReadonlyMap<string, Readonly<Record<string, EdgeKind>>>;
  /** Name → its stack. */
  readonly stacks: ReadonlyMap<string, string>;
  readonly levels: readonly (readonly string[])[];
  readonly criticalPath: readonly string[];
  /** `--impact <app>`: the app, and all that would wait if it failed. */
  readonly impact?: { readonly of: string; readonly nodes: ReadonlySet<string> };
}

/** The kind of the edge by which one node needs another. */
export function edgeKind(view: Pick<GraphView, 'kinds'>, from: string, need: string): EdgeKind {
  return view.kinds.get(from)?.[need] ?? 'hard';
}

/** Stack → its nodes, both sorted. */
export function nodesByStack({ graph, stacks }: GraphView): readonly (readonly [string, readonly string[]])[] {
  const byStack = new Map<string, string[]>();
  for (const name of [...graph.keys()].sort()) {
    const stack = stacks.get(name) ?? '';
    const known = byStack.get(stack);
    if (known === undefined) byStack.set(stack, [name]);
    else known.push(name);
  }
  return [...byStack].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The edges of a path, as `from need` pairs in one string each. */
export function pathEdges(path: readonly string[]): ReadonlySet<string> {
  return new Set(path.slice(1).map((name, index) => edgeKey(name, path[index] ?? '')));
}

/** One edge as a key of a set. */
export function edgeKey(from: string, need: string): string {
  return `${from} ${need}`;
}

/**
 * The edges worth drawing: none that follows from others. A hard need is left out only when hard needs lead to the same
 * place; with a soft one in between the picture would promise less than the file says.
 */
export function drawnNeeds(view: Pick<GraphView, 'graph' | 'kinds'>): Graph {
  // A saved report may hold anything; a graph that cannot be reduced is drawn as it is.
  if (findCycle(view.graph) !== undefined) return view.graph;
  const hard = new Map([...view.graph].map(([name, needs]) => [name, ofKind(view, name, needs)]));
  const [allReduced, hardReduced] = [transitiveReduction(view.graph), transitiveReduction(hard)];
  return new Map(
    [...view.graph.keys()].map((name) => {
      const kept = [...(allReduced.get(name) ?? [])].filter((need) => edgeKind(view, name, need) !== 'hard');
      return [name, new Set([...(hardReduced.get(name) ?? []), ...kept].sort())];
    }),
  );
}

function ofKind(view: Pick<GraphView, 'kinds'>, name: string, needs: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...needs].filter((need) => edgeKind(view, name, need) === 'hard'));
}

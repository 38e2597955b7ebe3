import { edgesAgainstOrder } from '../graph/edges-against-order.ts';
import type { Graph } from '../graph/graph.ts';
import { appOf } from './node-name.ts';
import type { App, EdgeKind, Need, Platform } from './platform.ts';

/** The apps of a platform, and the parts that somebody needs, as names and edges. */
export interface NodeGraph {
  readonly graph: Graph;
  kindOf(from: string, to: string): EdgeKind;
  readonly partNodes: ReadonlySet<string>;
}

type Apps = Platform['apps'];

/** The graph that is checked, planned and run. Soft needs that would close a cycle are left out of it. The platform must have no other cycle. */
export function nodeGraph({ apps }: Pick<Platform, 'apps'>): NodeGraph {
  const all = declaredGraph(apps);
  const ignored = edgesToIgnore(all);
  if (ignored.length === 0) return all;
  const names = new Set(ignored.map(([from, to]) => `${from} ${to}`));
  return declaredGraph(apps, (from, need) => need.edge !== 'soft' || !names.has(`${from} ${need.node}`));
}

/** The soft edges that lie on a cycle and are not honoured. */
export function edgesToIgnore(all: NodeGraph): (readonly [from: string, to: string])[] {
  const soft = edgesOf(all, (kind) => kind === 'soft');
  if ([...soft.values()].every((needs) => needs.size === 0)) return [];
  return edgesAgainstOrder(
    edgesOf(all, (kind) => kind !== 'soft'),
    soft,
  );
}

/** The same names with only the edges of some kinds. */
export function edgesOf({ graph, kindOf }: NodeGraph, isWanted: (kind: EdgeKind) => boolean): Graph {
  const wanted = new Map<string, Set<string>>();
  for (const [from, needs] of graph) wanted.set(from, new Set([...needs].filter((to) => isWanted(kindOf(from, to)))));
  return wanted;
}

/** Every need as it was declared, cycles and all. */
export function declaredGraph(apps: Apps, isKept: (from: string, need: Need) => boolean = () => true): NodeGraph {
  const graph = new Map<string, Set<string>>();
  const kinds = new Map<string, Map<string, EdgeKind>>();
  const partNodes = new Set<string>();
  // Parts that turn out to be needed join the end of the set while it is walked, each once.
  const nodes = new Set(apps.keys());
  for (const from of nodes) {
    const needs = needsOf(from, apps).filter((need) => isKept(from, need));
    graph.set(from, new Set(needs.map(({ node }) => node)));
    kinds.set(from, kindsOf(needs));
    for (const { node } of needs) {
      if (!node.includes('#')) continue;
      partNodes.add(node);
      nodes.add(node);
    }
  }
  for (const part of partNodes) {
    graph.get(appOf(part))?.add(part);
    kinds.get(appOf(part))?.delete(part);
  }
  return { graph, kindOf: (from, to) => kinds.get(from)?.get(to) ?? 'hard', partNodes };
}

function kindsOf(needs: readonly Need[]): Map<string, EdgeKind> {
  return new Map(needs.filter(({ edge }) => edge !== 'hard').map(({ node, edge }) => [node, edge]));
}

/** What an app or a part needs, as declared. */
export function needsOf(node: string, apps: Apps): readonly Need[] {
  const app: App | undefined = apps.get(appOf(node));
  if (app === undefined) throw new Error(`"${node}" is needed but is not part of the platform`);
  if (!node.includes('#')) return app.needs;
  const part = app.parts.get(node.slice(node.indexOf('#') + 1));
  if (part === undefined) throw new Error(`"${node}" is needed but "${app.name}" has no such part`);
  return part.needs;
}

import { edgesAgainstOrder } from '../graph/edges-against-order.ts';
import type { Graph } from '../graph/graph.ts';
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
  const waiting: string[] = [...apps.keys()].reverse();
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const targets = new Set<string>();
    graph.set(from, targets);
    for (const need of needsOf(from, apps)) {
      if (!isKept(from, need)) continue;
      targets.add(need.node);
      if (need.edge !== 'hard') kinds.set(from, (kinds.get(from) ?? new Map()).set(need.node, need.edge));
      if (need.node.includes('#') && !partNodes.has(need.node)) {
        partNodes.add(need.node);
        waiting.push(need.node);
      }
    }
  }
  for (const part of partNodes) {
    const app = appOf(part);
    graph.get(app)?.add(part);
    kinds.get(app)?.delete(part);
  }
  return { graph, kindOf: (from, to) => kinds.get(from)?.get(to) ?? 'hard', partNodes };
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

/** The app that a node is, or is a part of. */
export function appOf(node: string): string {
  const hash = node.indexOf('#');
  return hash === -1 ? node : node.slice(0, hash);
}

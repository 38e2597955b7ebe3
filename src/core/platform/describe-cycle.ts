import type { Graph } from '../graph/graph.ts';
import { reachable } from '../graph/reachable.ts';
import type { Position } from '../problem.ts';
import { formatPosition } from './format-problems.ts';
import { needsOf } from './node-graph.ts';
import type { App, Need } from './platform.ts';

type Apps = ReadonlyMap<string, App>;

interface CycleEdge {
  readonly from: string;
  readonly to: string;
  /** Nothing for the edge from an app to its own part, which nobody wrote. */
  readonly need: Need | undefined;
}

/** Beyond this the list helps nobody. */
const EDGES_SHOWN = 100;

/** Says which needs make the circle, where each was declared, and how to open it. */
export function describeCycle(
  cycle: readonly string[],
  graph: Graph,
  apps: Apps,
): { at: Position; what: string; remedy: string } {
  const edges = cycle.map((from, index): CycleEdge => {
    const to = cycle[(index + 1) % cycle.length] ?? from;
    return { from, to, need: needsOf(from, apps).find((need) => need.node === to) };
  });
  const at = edges.find(({ need }) => need !== undefined)?.need?.at ?? { file: '', line: 0, column: 0 };
  const lines = edges.slice(0, EDGES_SHOWN).map(describeEdge);
  if (edges.length > EDGES_SHOWN) lines.push(`and ${edges.length - EDGES_SHOWN} more.`);
  const what = `These ${cycle.length} need each other in a circle, so that none could ever start:\n${lines.join('\n')}`;
  return { at, what, remedy: remedyFor(edges, graph, apps) };
}

function describeEdge({ from, to, need }: CycleEdge): string {
  if (need === undefined) return `"${from}" needs "${to}" (a part comes before its app)`;
  const through = need.throughStack === undefined ? '' : `through stack "${need.throughStack}", `;
  return `"${from}" needs "${to}" (${through}${formatPosition(need.at)})`;
}

function remedyFor(edges: readonly CycleEdge[], graph: Graph, apps: Apps): string {
  const direct = edges.filter(({ need }) => need !== undefined && need.throughStack === undefined);
  const declared = direct.map((edge) => declaredPart(edge, graph, apps)).find((remedy) => remedy !== undefined);
  if (declared !== undefined) return declared;
  // Operators are what others need only the definitions of.
  const partless = direct.filter(({ to }) => apps.get(to)?.parts.size === 0);
  const newPart = partless.find(({ to }) => apps.get(to)?.type === 'operator') ?? partless[0];
  if (newPart !== undefined) return newPartFor(newPart);
  const one = direct[0] ?? edges[0];
  if (one?.need?.throughStack !== undefined) return 'Name the apps that are really needed instead of the whole stack.';
  return `Remove one of these needs, or make it soft: { app: ${one?.to}, edge: soft }.`;
}

function declaredPart({ from, to }: CycleEdge, graph: Graph, apps: Apps): string | undefined {
  for (const [name, part] of apps.get(to)?.parts ?? []) {
    const above = reachable(
      graph,
      part.needs.filter(({ edge }) => edge !== 'soft').map(({ node }) => node),
    );
    if (above.has(from) || above.has(to)) continue;
    return `If "${from}" needs only the part "${name}" of "${to}", write ${to}#${name} instead of ${to} there; ${otherwise(to)}`;
  }
  return undefined;
}

function newPartFor({ from, to }: CycleEdge): string {
  const part = 'parts: { crds: { kinds: [CustomResourceDefinition] } }';
  return `If "${from}" needs only the CRDs of "${to}", write ${to}#crds instead of ${to} there and add ${part} to "${to}"; ${otherwise(to)}`;
}

function otherwise(to: string): string {
  return `otherwise remove one of these needs, or make it soft: { app: ${to}, edge: soft }.`;
}

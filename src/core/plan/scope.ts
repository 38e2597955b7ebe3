import type { Graph } from '../graph/graph.ts';
import { reachable } from '../graph/reachable.ts';
import { reversed } from '../graph/reversed.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { appOf } from '../platform/node-name.ts';
import type { Platform } from '../platform/platform.ts';

export type Scope =
  | { readonly kind: 'platform' }
  | { readonly kind: 'stack'; readonly name: string }
  | { readonly kind: 'app'; readonly name: string };

/** What else comes along with the scope. */
export type ScopeWith = 'needs' | 'dependents' | 'both';

/** Reads `platform`, `stack:<name>` or `app:<name>`; undefined when it is none of them. */
export function parseScope(text: string): Scope | undefined {
  if (text === 'platform') return { kind: 'platform' };
  const match = /^(stack|app):(.+)$/.exec(text);
  const name = match?.[2];
  if (match === null || name === undefined) return undefined;
  return match[1] === 'stack' ? { kind: 'stack', name } : { kind: 'app', name };
}

export function scopeText(scope: Scope): string {
  return scope.kind === 'platform' ? 'platform' : `${scope.kind}:${scope.name}`;
}

/** Why this scope cannot be meant, with the nearest known name; undefined when it is fine. */
export function scopeProblem(platform: Platform, scope: Scope): string | undefined {
  if (scope.kind === 'platform') return undefined;
  const known = scope.kind === 'stack' ? platform.stacks : platform.apps;
  if (known.has(scope.name)) return undefined;
  const guess = nearestName(scope.name, known.keys());
  return `there is no ${scope.kind} called “${scope.name}”${guess === undefined ? '' : `; did you mean “${guess}”?`}`;
}

/** The nodes a run is about: those of the scope, their parts, and what was asked to come along. */
export function nodesInScope(
  platform: Platform,
  graph: Graph,
  scope: Scope,
  alongWith?: ScopeWith,
): ReadonlySet<string> {
  if (scope.kind === 'platform') return new Set(graph.keys());
  const apps = scope.kind === 'app' ? [scope.name] : (platform.stacks.get(scope.name)?.apps ?? []);
  const own = new Set(apps);
  const start = [...graph.keys()].filter((node) => own.has(appOf(node)));
  const chosen = new Set(start);
  if (alongWith !== undefined && alongWith !== 'dependents') addAll(chosen, reachable(graph, start));
  if (alongWith !== undefined && alongWith !== 'needs') addAll(chosen, reachable(reversed(graph), start));
  return chosen;
}

function addAll(to: Set<string>, names: Iterable<string>): void {
  for (const name of names) to.add(name);
}

import { reversed } from '../graph/reversed.ts';
import { nodeGraph } from '../platform/node-graph.ts';
import { appOf, partOf } from '../platform/node-name.ts';
import type { App, Platform } from '../platform/platform.ts';
import { assemblePlan, type PlannedStep } from './assemble-plan.ts';
import type { Observed } from './observed.ts';
import type { Plan } from './plan.ts';
import { nodesInScope, type Scope, type ScopeWith, scopeText } from './scope.ts';

export interface TeardownOptions {
  readonly scope: Scope;
  readonly with?: ScopeWith;
  /** Apps marked `stateful` that may go. Others of them stay, and so does everything they need (INV-5). */
  readonly stateful: 'all' | ReadonlySet<string>;
}

/** The same way over the reversed graph: an app goes only when everything that needs it is gone. */
export function planTeardown(platform: Platform, observed: Observed, options: TeardownOptions): Plan {
  const { graph } = nodeGraph(platform);
  const back = reversed(graph);
  const chosen = nodesInScope(platform, graph, options.scope, options.with);
  const kept = keptNodes(platform, observed, { graph: back, chosen, stateful: options.stateful });
  const steps = [...chosen].map((node): PlannedStep => {
    const app = platform.apps.get(appOf(node)) as App;
    const seen = observed.applications.get(app.application);
    const keep = kept.get(node);
    const after = [...(back.get(node) ?? [])].filter((dependent) => chosen.has(dependent));
    const base = { node, stack: app.stack, application: app.application, after, edges: {} };
    if (keep !== undefined) return { ...base, action: 'skip', reason: keep };
    if (seen === undefined && partOf(node) === undefined)
      return { ...base, action: 'skip', reason: 'Application is not there' };
    if (partOf(node) !== undefined)
      return { ...base, action: 'delete', reason: `after everything that needs this part of ${app.name}` };
    return {
      ...base,
      action: 'delete',
      reason: seen?.deleting === true ? 'its deletion has begun already' : 'teardown',
    };
  });
  const idle = steps.every(
    (step) =>
      step.action === 'skip' || (partOf(step.node) !== undefined && !hasApplication(platform, observed, step.node)),
  );
  const final = idle
    ? steps.map(
        (step): PlannedStep =>
          step.action === 'skip' ? step : { ...step, action: 'skip', reason: 'Application is not there' },
      )
    : steps;
  return assemblePlan({
    platform: platform.name,
    action: 'teardown',
    scope: scopeText(options.scope),
    steps: final,
    seconds: () => 1,
    problems: [],
  });
}

/** Whether a skip of a teardown plan means “kept on purpose” rather than “was not there”. */
export function isKept(reason: string): boolean {
  return reason.startsWith('kept: ');
}

/** What is needed by anything that is there, as a plan follows the needs: whatever is kept of it, the rest must not go from under it. */
export function neededNodes(platform: Platform, observed: Pick<Observed, 'applications'>): ReadonlySet<string> {
  const { graph } = nodeGraph(platform);
  const exists = (node: string): boolean => hasApplication(platform, observed, node);
  const needed = new Set<string>();
  const queue = [...graph.keys()].filter(exists);
  for (let index = 0; index < queue.length; index++) {
    for (const need of graph.get(queue[index] as string) ?? []) {
      if (needed.has(need) || !(partOf(need) !== undefined || exists(need))) continue;
      needed.add(need);
      queue.push(need);
    }
  }
  return needed;
}

function hasApplication(platform: Platform, observed: Pick<Observed, 'applications'>, node: string): boolean {
  return observed.applications.has(platform.apps.get(appOf(node))?.application ?? '');
}

/** Stateful apps not released by name, apps outside the scope that still exist, and everything those need: node → why it stays. */
function keptNodes(
  platform: Platform,
  observed: Observed,
  view: {
    graph: ReadonlyMap<string, ReadonlySet<string>>;
    chosen: ReadonlySet<string>;
    stateful: TeardownOptions['stateful'];
  },
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  const exists = (node: string): boolean => hasApplication(platform, observed, node);
  // A part outlives its app.
  const mayBeThere = (node: string): boolean => partOf(node) !== undefined || exists(node);
  const protectedApp = (node: string): boolean =>
    platform.apps.get(node)?.stateful === true && view.stateful !== 'all' && !view.stateful.has(node);
  // Down the needs: whatever a kept node needs is kept too, because it would be removed from under it.
  const needs = reversed(view.graph);
  const queue = [...needs.keys()]
    .sort()
    .filter((node) => exists(node) && (protectedApp(node) || !view.chosen.has(node)));
  for (const node of queue) {
    if (view.chosen.has(node)) kept.set(node, `kept: ${node} is stateful; --include-stateful removes it`);
  }
  const keep = (node: string, because: string): void => {
    if (kept.has(node) || !view.chosen.has(node) || !mayBeThere(node)) return;
    kept.set(node, `kept: ${because}`);
    queue.push(node);
    // Definitions say themselves whose they are; of anything else only its Application can tell, to later runs, too.
    if (!outlivesItsApp(platform, node)) keep(appOf(node), `${node}, a part of it, is kept`);
  };
  for (let index = 0; index < queue.length; index++) {
    const holder = queue[index] as string;
    const state = view.chosen.has(holder) ? 'is kept' : 'is still there';
    for (const need of [...(needs.get(holder) ?? [])].sort()) keep(need, `${holder}, which needs it, ${state}`);
  }
  return kept;
}

function outlivesItsApp(platform: Platform, node: string): boolean {
  const kinds = platform.apps.get(appOf(node))?.parts.get(partOf(node) ?? '')?.kinds ?? [];
  return kinds.every((kind) => kind === 'CustomResourceDefinition');
}

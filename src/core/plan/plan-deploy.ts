import { nodeGraph } from '../platform/node-graph.ts';
import { appOf, partOf } from '../platform/node-name.ts';
import type { App, Part, Platform } from '../platform/platform.ts';
import type { Problem } from '../problem.ts';
import { assemblePlan, type PlannedStep } from './assemble-plan.ts';
import type { Observed, ObservedApplication, ResourceRef } from './observed.ts';
import { evidenceOf, type ObservedVerdict, observedVerdict } from './observed-verdict.ts';
import type { Plan } from './plan.ts';
import { nodesInScope, type Scope, type ScopeWith, scopeText } from './scope.ts';

export interface PlanOptions {
  readonly scope: Scope;
  readonly with?: ScopeWith;
  /** Expected seconds by node, from a scenario or an earlier run; types fill the gaps. */
  readonly seconds?: ReadonlyMap<string, number>;
}

/** Files × what is observed → what to do, in order, and why. */
export function planDeploy(platform: Platform, observed: Observed, options: PlanOptions): Plan {
  const nodes = nodeGraph(platform);
  const chosen = nodesInScope(platform, nodes.graph, options.scope, options.with);
  const verdicts = new Map([...nodes.graph.keys()].map((node) => [node, nodeVerdict(platform, observed, node)]));
  const steps = [...chosen].map((node): PlannedStep => {
    const app = platform.apps.get(appOf(node)) as App;
    const verdict = verdicts.get(node) as ObservedVerdict;
    const after = [...(nodes.graph.get(node) ?? [])].filter(
      (need) => chosen.has(need) && !metOnce(platform, observed, nodes.kindOf(node, need), node),
    );
    return {
      node,
      stack: app.stack,
      application: app.application,
      ...(verdict.done
        ? { action: 'skip', reason: 'Healthy at the wanted revision', evidence: verdict.evidence }
        : { action: partOf(node) === undefined ? 'sync' : 'part', reason: verdict.reason }),
      after,
      edges: Object.fromEntries(
        after.map((need) => [need, nodes.kindOf(node, need)] as const).filter(([, kind]) => kind !== 'hard'),
      ),
    };
  });
  const problems = [...chosen].flatMap((node) => unmetNeeds({ platform, observed, nodes, chosen, verdicts }, node));
  const seconds = (step: PlannedStep): number =>
    step.action === 'skip' ? 0 : expectedSeconds(platform, step.node, options.seconds);
  return assemblePlan({
    platform: platform.name,
    action: 'deploy',
    scope: scopeText(options.scope),
    steps,
    seconds,
    problems,
  });
}

/** Seconds a node is expected to take: what was measured or scripted, else a guess by type that keeps the critical path meaningful. */
export function expectedSeconds(
  platform: Platform,
  node: string,
  known: ReadonlyMap<string, number> | undefined,
): number {
  const measured = known?.get(node);
  if (measured !== undefined) return measured;
  if (partOf(node) !== undefined) return 5;
  return { simple: 60, operator: 120, database: 300, vault: 180, ceph: 900 }[platform.apps.get(node)?.type ?? 'simple'];
}

/** What the cluster's record says about an app or a part. */
export function nodeVerdict(platform: Platform, observed: Observed, node: string): ObservedVerdict {
  const app = platform.apps.get(appOf(node)) as App;
  const seen = observed.applications.get(app.application);
  const part = partOf(node);
  const whole = observedVerdict(app, observed, platform.environment);
  if (part === undefined || whole.done || seen === undefined) return whole;
  return partVerdict(app, app.parts.get(part) as Part, seen);
}

function partVerdict(app: App, part: Part, seen: ObservedApplication): ObservedVerdict {
  const objects = partResources(part, seen.resources);
  const missing = objects.filter((object) => object.sync !== 'Synced');
  if (objects.length === 0) return { done: false, reason: `no ${part.kinds.join(' or ')} of ${app.name} seen yet` };
  if (missing.length > 0)
    return { done: false, reason: `${missing.length} of ${objects.length} objects of this part are not Synced` };
  return { done: true, evidence: { ...evidenceOf(app, seen), resources: objects.length } };
}

/** The objects of an Application that belong to a part. */
export function partResources(part: Part, resources: readonly ResourceRef[]): readonly ResourceRef[] {
  return resources.filter(
    (object) =>
      !object.hook && part.kinds.includes(object.kind) && (part.names.length === 0 || part.names.includes(object.name)),
  );
}

/**
 * A `once` need no longer orders an app that has been deployed before: its first deployment happened behind the gate.
 * A whole sync in its own history is the cluster's record of that.
 */
function metOnce(platform: Platform, observed: Observed, kind: string, node: string): boolean {
  if (kind !== 'once') return false;
  const app = platform.apps.get(appOf(node)) as App;
  return (observed.applications.get(app.application)?.history.length ?? 0) > 0;
}

interface Planning {
  readonly platform: Platform;
  readonly observed: Observed;
  readonly nodes: ReturnType<typeof nodeGraph>;
  readonly chosen: ReadonlySet<string>;
  readonly verdicts: ReadonlyMap<string, ObservedVerdict>;
}

/** R2.6: an app whose needs lie outside the scope and are not Healthy must not start. */
function unmetNeeds(planning: Planning, node: string): Problem[] {
  const { platform, observed, nodes, chosen, verdicts } = planning;
  const app = platform.apps.get(appOf(node)) as App;
  if (verdicts.get(node)?.done) return [];
  return [...(nodes.graph.get(node) ?? [])].sort().flatMap((need) => {
    const kind = nodes.kindOf(node, need);
    const verdict = verdicts.get(need);
    if (
      chosen.has(need) ||
      kind === 'soft' ||
      verdict === undefined ||
      verdict.done ||
      metOnce(platform, observed, kind, node)
    )
      return [];
    return [
      {
        severity: 'error' as const,
        at: app.needs.find((candidate) => candidate.node === need)?.at ?? app.at,
        what: `${node} needs ${need}, which is not Healthy: ${verdict.reason}`,
        remedy: `Deploy ${need} first, or add --with needs to bring everything ${node} needs along.`,
      },
    ];
  });
}

import { type AggregateHealth, aggregate } from '../core/health/aggregate.ts';
import type { Observed } from '../core/plan/observed.ts';
import { observedVerdict } from '../core/plan/observed-verdict.ts';
import { nodeGraph } from '../core/platform/node-graph.ts';
import type { Platform } from '../core/platform/platform.ts';
import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import { heldNow } from './held-applications.ts';
import { NotInstalledError } from './not-installed-error.ts';
import { observe } from './observe.ts';
import type { LeaseHolder, World } from './ports.ts';

/** The platform as the cluster shows it now (R3.1: the phase is read from the cluster, never stored elsewhere). */
export interface PlatformStatus {
  readonly kind: 'Status';
  readonly platform: string;
  readonly phase: 0 | 1 | 2 | 3 | 4;
  readonly phaseName: string;
  readonly health: AggregateHealth;
  readonly lease: { readonly holder: string; readonly since: string } | undefined;
  /** The Workflow that runs the plan now. */
  readonly workflow: { readonly name: string; readonly phase: string; readonly since: string } | undefined;
  readonly apps: readonly AppStatus[];
}

export interface AppStatus {
  readonly name: string;
  readonly stack: string;
  readonly application: string;
  readonly sync: string;
  readonly health: string;
  readonly held: boolean;
  readonly done: boolean;
  /** Why it is not done, in one sentence. */
  readonly because: string | undefined;
  /** Needs that are not done, when it is not done itself. */
  readonly waitsFor: readonly string[];
}

export async function readStatus(world: World, platform: Platform, signal: AbortSignal): Promise<PlatformStatus> {
  const found = await observe(world, platform, signal).catch(unlessEmpty);
  const observed = found ?? { applications: new Map(), projects: new Map(), checks: new Map() };
  const [lease, workflows] = await Promise.all([world.lease.holder(signal), world.workflows.all(signal)]);
  const going = workflows.findLast((view) => !isOver(view) && view.partOf === undefined);
  const apps = appStatuses(platform, observed);
  const phase = found === undefined ? 0 : phaseOf(apps, observed, lease, platform);
  return {
    kind: 'Status',
    platform: platform.name,
    phase,
    phaseName: phaseNames[phase],
    health: aggregate(apps.map((app) => (app.done ? 'healthy' : healthWord(app.health)))),
    lease: lease === undefined ? undefined : { holder: lease.holder, since: lease.since },
    workflow: going === undefined ? undefined : shown(going),
    apps,
  };
}

/** Without Argo CD there is nothing to observe, which is an answer. */
function unlessEmpty(error: unknown): undefined {
  if (!(error instanceof NotInstalledError)) throw error;
  return undefined;
}

function shown({ namespace, name, phase, createdAt }: WorkflowView): PlatformStatus['workflow'] {
  return { name: `${namespace}/${name}`, phase, since: createdAt };
}

const phaseNames = {
  0: 'pre-bootstrap',
  1: 'bootstrapped',
  2: 'orchestration',
  3: 'steady state',
  4: 'teardown',
} as const;

function healthWord(word: string): Parameters<typeof aggregate>[0] extends Iterable<infer Status> ? Status : never {
  const known = {
    Healthy: 'progressing',
    Progressing: 'progressing',
    Degraded: 'degraded',
    Missing: 'missing',
    Suspended: 'suspended',
  } as const;
  return known[word as keyof typeof known] ?? 'unknown';
}

/** A platform may stay in any phase; what the cluster holds decides. */
function phaseOf(
  apps: readonly AppStatus[],
  observed: Observed,
  lease: LeaseHolder | undefined,
  platform: Platform,
): 1 | 2 | 3 | 4 {
  const mine = [...platform.apps.values()].map((app) => observed.applications.get(app.application));
  if (mine.some((app) => app?.deleting === true) || lease?.holder.startsWith('teardown-') === true) return 4;
  if (mine.every((app) => app === undefined)) return 1;
  return apps.every((app) => app.done && !app.held) ? 3 : 2;
}

function appStatuses(platform: Platform, observed: Observed): AppStatus[] {
  const held = heldNow(observed);
  const { graph } = nodeGraph(platform);
  const verdicts = new Map(
    [...platform.apps.values()].map((app) => [app.name, observedVerdict(app, observed, platform.environment)]),
  );
  return [...platform.apps.values()].map((app) => {
    const seen = observed.applications.get(app.application);
    const verdict = verdicts.get(app.name);
    const done = verdict?.done === true;
    return {
      name: app.name,
      stack: app.stack,
      application: app.application,
      sync: seen?.sync.status ?? 'Missing',
      health: seen === undefined ? 'Missing' : seen.health.status,
      held: held.has(app.application),
      done,
      because: verdict === undefined || verdict.done ? undefined : verdict.reason,
      waitsFor: done
        ? []
        : [...(graph.get(app.name) ?? [])].filter((need) => verdicts.get(need)?.done === false).sort(),
    };
  });
}

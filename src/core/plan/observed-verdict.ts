import type { App, Environment } from '../platform/platform.ts';
import type { Evidence } from '../run/evidence.ts';
import type { Observed, ObservedApplication } from './observed.ts';

/** What the cluster's record says about an app without asking Argo CD for anything: done, with its evidence, or why not. */
export type ObservedVerdict =
  | { readonly done: true; readonly evidence: Evidence }
  | { readonly done: false; readonly reason: string };

export function observedVerdict(app: App, observed: Observed, environment: Environment): ObservedVerdict {
  const verdict = argoVerdict(app, observed.applications.get(app.application), environment);
  if (!verdict.done) return verdict;
  const checks = observed.checks.get(app.application) ?? [];
  const bad = checks.find((check) => check.verdict.status !== 'healthy');
  if (bad !== undefined) return { done: false, reason: `${bad.about}: ${bad.verdict.message}` };
  if (checks.length === 0) return verdict;
  return {
    done: true,
    evidence: { ...verdict.evidence, checks: checks.map((check) => `${check.about}: ${check.verdict.message}`) },
  };
}

/** Argo CD's word alone: enough to know that something is not done, never enough to know that it is. */
export function argoVerdict(
  app: App,
  seen: ObservedApplication | undefined,
  environment: Environment,
): ObservedVerdict {
  if (seen === undefined) return { done: false, reason: 'Application missing' };
  const reason = notDone.map((check) => check(app, seen, environment)).find((found) => found !== undefined);
  if (reason !== undefined) return { done: false, reason };
  return { done: true, evidence: evidenceOf(app, seen) };
}

/** The commit an app must be at: known in advance only when the environment pins one and the app comes from that repository. */
export function wantedRevision(seen: ObservedApplication, environment: Environment): string | undefined {
  const pinned = /^[0-9a-f]{40}$/.test(environment.gitRevision) ? environment.gitRevision : undefined;
  const fromOurs = seen.sources.length === 1 && seen.sources[0]?.repository === environment.gitRepository;
  return pinned !== undefined && fromOurs ? pinned : undefined;
}

export const errorConditions: ReadonlySet<string> = new Set(['ComparisonError', 'InvalidSpecError', 'UnknownError']);

export function evidenceOf(app: App, seen: ObservedApplication): Evidence {
  const operation = seen.lastOperation;
  const notes = [...(app.settles ? [] : ['settles: false']), ...(app.mayBeEmpty ? ['mayBeEmpty: true'] : [])];
  return {
    ...(operation?.step === undefined ? {} : { operationId: operation.step }),
    ...(seen.sync.revision === undefined ? {} : { revision: seen.sync.revision }),
    ...(operation === undefined ? {} : { operationPhase: operation.phase }),
    ...(seen.reconciledAt === undefined ? {} : { refreshedAt: seen.reconciledAt }),
    sync: seen.sync.status,
    health: seen.health.status,
    resources: seen.resources.length,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

type Check = (app: App, seen: ObservedApplication, environment: Environment) => string | undefined;

/** In order of importance: the first reason is the one a person reads. */
const notDone: readonly Check[] = [
  (_app, seen) => (seen.deleting ? 'Application is being deleted' : undefined),
  (_app, seen) =>
    seen.operation === undefined ? undefined : `an operation by ${seen.operation.initiatedBy} is running`,
  (_app, seen) => {
    const condition = seen.conditions.find(({ type }) => errorConditions.has(type));
    return condition === undefined ? undefined : `${condition.type}: ${condition.message}`;
  },
  (_app, seen) => (seen.reconciledAt === undefined ? 'never compared with Git' : undefined),
  (_app, seen) => {
    const operation = seen.lastOperation;
    if (operation === undefined || operation.phase === 'Succeeded' || operation.phase === 'Running') return undefined;
    return `the last sync ${operation.phase === 'Failed' ? 'failed' : `ended in ${operation.phase}`}: ${operation.message}`;
  },
  (_app, seen) => {
    const finished = seen.lastOperation?.finishedAt;
    return finished !== undefined && seen.reconciledAt !== undefined && seen.reconciledAt < finished
      ? 'its verdict is older than its last sync'
      : undefined;
  },
  (app, seen) => (app.settles && seen.sync.status !== 'Synced' ? `${seen.sync.status} with Git` : undefined),
  // Without Synced only a whole sync of this very revision proves that what is there is what Git wants.
  (app, seen) =>
    !app.settles && seen.history.at(-1)?.revision !== seen.sync.revision
      ? `revision ${short(seen.sync.revision)} was not synced as a whole yet`
      : undefined,
  (_app, seen, environment) => {
    const wanted = wantedRevision(seen, environment);
    return wanted !== undefined && wanted !== seen.sync.revision
      ? `at revision ${short(seen.sync.revision)}, the environment wants ${short(wanted)}`
      : undefined;
  },
  (app, seen) => (seen.resources.length === 0 && !app.mayBeEmpty ? 'Healthy only because it is empty' : undefined),
  (_app, seen) =>
    seen.health.status === 'Healthy'
      ? undefined
      : `not Healthy: ${seen.health.status}${seen.health.message === undefined ? '' : ` (${seen.health.message})`}`,
];

export function short(revision: string | undefined): string {
  return revision === undefined ? 'unknown' : revision.slice(0, 8);
}

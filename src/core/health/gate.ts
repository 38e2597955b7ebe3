import { type ObservedApplication, objectKey, type ResourceRef } from '../plan/observed.ts';
import { errorConditions, evidenceOf, short } from '../plan/observed-verdict.ts';
import type { App } from '../platform/platform.ts';
import type { Evidence } from '../run/evidence.ts';
import type { Check } from './check.ts';
import { hasOwnVerdict } from './own-verdict.ts';

/** What the gate knows about one app at one moment. */
export interface GateInput {
  readonly app: App;
  readonly seen: ObservedApplication | undefined;
  /** The operation that must have Succeeded; undefined when an earlier run has synced the app and only health is awaited. */
  readonly operationId: string | undefined;
  /** The commit the environment pins; undefined: whatever the Application follows. */
  readonly wantedRevision: string | undefined;
  /** The commit our operation has synced, when it told one. */
  readonly syncedRevision: string | undefined;
  /** A refresh that began after the operation ended has been answered, at this time. */
  readonly refreshedAt: string | undefined;
  /** Our own verdicts on the kinds of INV-7 and the probes, with what each is about. */
  readonly checks: readonly Check[];
}

/**
 * open: let dependents start. wait: not yet, within the time-out. bad: a verdict that fails the attempt when it lasts.
 * Only a fresh verdict opens: Argo CD's status can be stale, and its Healthy can be vacuous.
 */
export type GateVerdict =
  | { readonly gate: 'open'; readonly evidence: Evidence }
  /** `health`: everything before health is in order; our own checks may know more. `checks`: only they say no, Argo CD says Healthy. */
  | { readonly gate: 'wait'; readonly for: string; readonly on?: 'health' | 'checks' }
  | { readonly gate: 'bad'; readonly because: string; readonly hint: string };

export function judgeGate(input: GateInput): GateVerdict {
  const seen = input.seen;
  if (seen === undefined)
    return {
      gate: 'bad',
      because: 'its Application disappeared',
      hint: 'Something deleted it; look at the parent Application and at who else manages it.',
    };
  for (const rule of rules) {
    const verdict = rule(input, seen);
    if (verdict !== undefined) return verdict;
  }
  return { gate: 'open', evidence: gateEvidence(input, seen) };
}

type Rule = (input: GateInput, seen: ObservedApplication) => GateVerdict | undefined;

/** In this order; the first that speaks decides. */
const rules: readonly Rule[] = [
  function beingDeleted(_input, seen) {
    return seen.deleting
      ? { gate: 'bad', because: 'its Application is being deleted', hint: 'Wait until it is gone, then deploy again.' }
      : undefined;
  },
  function operationRunning(_input, seen) {
    return seen.operation === undefined
      ? undefined
      : { gate: 'wait', for: `an operation by ${seen.operation.initiatedBy} to finish` };
  },
  function notRefreshed(input) {
    return input.refreshedAt === undefined ? { gate: 'wait', for: 'Argo CD to compare it again' } : undefined;
  },
  function errorCondition(_input, seen) {
    const condition = seen.conditions.find(({ type }) => errorConditions.has(type));
    if (condition === undefined) return undefined;
    return {
      gate: 'bad',
      because: `${condition.type}: ${condition.message}`,
      hint: 'Argo CD cannot compare it with Git: check repository, revision, path and AppProject.',
    };
  },
  function gitMoved(input, seen) {
    const synced = input.syncedRevision;
    if (!input.app.settles || seen.sync.status === 'Synced' || synced === undefined) return undefined;
    if (seen.sync.revision === undefined || seen.sync.revision === synced) return undefined;
    return {
      gate: 'bad',
      because: `Git moved on to ${short(seen.sync.revision)} while ${short(synced)} was becoming Healthy`,
      hint: 'The next attempt syncs the new commit.',
    };
  },
  function notSynced(input, seen) {
    if (!input.app.settles || seen.sync.status === 'Synced') return undefined;
    const open = seen.resources.filter(
      (object) => object.sync !== undefined && object.sync !== 'Synced' && !object.hook,
    );
    const which = open
      .slice(0, 3)
      .map((object) => `${object.kind} ${object.name}`)
      .join(', ');
    return {
      gate: 'wait',
      for: `Synced (is ${seen.sync.status}${which === '' ? '' : `: ${which}${open.length > 3 ? ` and ${open.length - 3} more` : ''}`})`,
    };
  },
  function otherRevision(input, seen) {
    const wanted = input.wantedRevision;
    if (wanted === undefined || seen.sync.revision === wanted) return undefined;
    return { gate: 'wait', for: `revision ${short(wanted)} (is at ${short(seen.sync.revision)})` };
  },
  function empty(input, seen) {
    if (seen.resources.length > 0 || input.app.mayBeEmpty) return undefined;
    return {
      gate: 'bad',
      because: 'it is empty: Healthy without a single resource proves nothing',
      hint: 'Check its path in Git, or say mayBeEmpty: true in dag.yaml.',
    };
  },
  function ownChecks(input, seen) {
    const bad = input.checks.find(({ verdict }) => verdict.status === 'degraded' || verdict.status === 'unknown');
    if (bad !== undefined)
      return { gate: 'bad', because: `${bad.about}: ${bad.verdict.message}`, hint: `Look at ${bad.about}.` };
    const open = input.checks.find(({ verdict }) => verdict.status !== 'healthy');
    if (open === undefined) return undefined;
    const isOnlyOurs = seen.health.status === 'Healthy';
    return {
      gate: 'wait',
      for: `${open.about}: ${open.verdict.message}`,
      ...(isOnlyOurs && { on: 'checks' as const }),
    };
  },
  function argoHealth(_input, seen) {
    const { status, message } = seen.health;
    if (status === 'Healthy') return undefined;
    const detail = message === undefined ? '' : ` (${message})`;
    if (status === 'Progressing' || status === 'Missing')
      return { gate: 'wait', for: `Healthy (is ${status}${detail})`, on: 'health' };
    return { gate: 'bad', because: `${status}${detail}`, hint: hintFor(status) };
  },
];

function hintFor(status: string): string {
  if (status === 'Suspended') return 'Something in it is paused: resume it, then deploy again.';
  return 'Look at its resources in Argo CD, mend the cause, then run the same command again: it continues here.';
}

function gateEvidence(input: GateInput, seen: ObservedApplication): Evidence {
  return {
    ...evidenceOf(input.app, seen),
    ...(input.operationId === undefined ? {} : { operationId: input.operationId }),
    ...(input.refreshedAt === undefined ? {} : { refreshedAt: input.refreshedAt }),
    ...(input.checks.length === 0
      ? {}
      : { checks: input.checks.map(({ about, verdict }) => `${about}: ${verdict.message}`) }),
  };
}

/**
 * How long a Healthy must last before it counts, in milliseconds: kinds whose check in Argo CD ignores observedGeneration can
 * show the verdict on the spec before ours. Not where our operation has created the object, so that there was none before, and we
 * judge its kind ourselves: some checks call what no operator has looked at Healthy. And an app that never settles has no Synced to
 * prove that the comparison saw our change, which even the one that answered our request may not have.
 */
export function stabilityMs(app: Pick<App, 'settles'>, seen: ObservedApplication): number {
  if (!app.settles) return stabilityWindowMs;
  return seen.resources.some((object) => mayBeOld(object, seen)) ? stabilityWindowMs : 0;
}

function mayBeOld(object: ResourceRef, { lastOperation }: ObservedApplication): boolean {
  if (guarded.has(object.group) || unchecked.has(`${object.group}/${object.kind}`)) return false;
  return !(hasOwnVerdict(object) && lastOperation?.created?.has(objectKey(object)) === true);
}

export const stabilityWindowMs = 5_000;

/** Plain configuration that comes with many charts: Argo CD has no check for it, so there is no verdict that could be old. */
const unchecked: ReadonlySet<string> = new Set(
  ['AlertmanagerConfig', 'PodMonitor', 'Probe', 'PrometheusRule', 'ScrapeConfig', 'ServiceMonitor'].map(
    (kind) => `monitoring.coreos.com/${kind}`,
  ),
);

/** API groups whose checks honour observedGeneration, or whose kinds have nothing to observe. */
const guarded: ReadonlySet<string> = new Set([
  '',
  'apps',
  'batch',
  'rbac.authorization.k8s.io',
  'networking.k8s.io',
  'storage.k8s.io',
  'policy',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
  'scheduling.k8s.io',
  'argoproj.io',
]);

import {
  type Application,
  type Condition,
  isAutomated,
  type Operation,
  type OperationState,
  type ResourceReference,
  sourcesOf,
} from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { projectOf } from './projects.ts';
import type { Assessment } from './refreshed-status.ts';
import { windowsAllow } from './sync-windows.ts';

/** What automated sync makes of a verdict: an operation, an error to show, or a later look. */
export interface AutoSync {
  readonly operation?: Operation;
  readonly condition?: Omit<Condition, 'lastTransitionTime'>;
  readonly retryInMs?: number;
}

/** One attempt a revision; after a successful one, self-healing with growing pauses. */
export function decideAutoSync(context: ArgoContext, application: Application, assessment: Assessment): AutoSync {
  const { operation, status, spec, metadata } = application;
  if (!isAutomated(spec) || assessment.sync !== 'OutOfSync') return {};
  if (operation !== undefined || metadata.deletionTimestamp !== undefined) return {};
  const project = projectOf(context, application);
  if (project === undefined || !windowsAllow(project, application, 'argocd')) return {};
  const last = status?.operationState;
  const revisions = assessment.revisions ?? [];
  if (last === undefined || !isCompleted(last) || !wasAttempted(application, last, revisions)) {
    return { operation: automatedOperation(application, revisions) };
  }
  if (last.phase !== 'Succeeded') {
    const message = `Failed last sync attempt to [${revisions.join(' ')}]: ${last.message ?? ''}`;
    return { condition: { type: 'SyncError', message } };
  }
  if (spec.syncPolicy?.automated?.selfHeal !== true) return {};
  return selfHeal(context, application, { last, assessment });
}

function isCompleted(state: OperationState): boolean {
  return state.phase === 'Succeeded' || state.phase === 'Failed' || state.phase === 'Error';
}

function wasAttempted(application: Application, last: OperationState, revisions: readonly string[]): boolean {
  const result = last.syncResult;
  if (result === undefined) return false;
  const tried = application.spec.sources === undefined ? [result.revision] : (result.revisions ?? []);
  return tried.join() === revisions.join();
}

function selfHeal(
  context: ArgoContext,
  application: Application,
  { last, assessment }: { last: OperationState; assessment: Assessment },
): AutoSync {
  const sinceMs = context.time.now() - Date.parse(last.finishedAt ?? '');
  const attempts = sinceMs > cooldownMs ? 0 : (last.operation.sync?.autoHealAttemptsCount ?? 0);
  const waitMs = attempts === 0 ? 0 : Math.min(2000 * 3 ** (attempts - 1), 300_000);
  if (sinceMs < waitMs) return { retryInMs: waitMs - sinceMs };
  const operation = automatedOperation(application, assessment.revisions ?? []);
  const resources = (assessment.resources ?? [])
    .filter((entry) => entry.status === 'OutOfSync')
    .map(({ group, kind, name }): ResourceReference => ({ ...(group === undefined ? {} : { group }), kind, name }));
  return { operation: { ...operation, sync: { ...operation.sync, autoHealAttemptsCount: attempts + 1, resources } } };
}

const cooldownMs = 330_000;

function automatedOperation(application: Application, revisions: readonly string[]): Operation {
  const { syncPolicy } = application.spec;
  const source = sourcesOf(application.spec)[0];
  return {
    initiatedBy: { automated: true },
    retry: syncPolicy?.retry ?? { limit: 5 },
    sync: {
      ...(syncPolicy?.automated?.prune === true ? { prune: true } : {}),
      ...(revisions[0] === undefined || application.spec.sources !== undefined ? {} : { revision: revisions[0] }),
      ...(source === undefined || application.spec.sources !== undefined ? {} : { source }),
      ...(syncPolicy?.syncOptions === undefined ? {} : { syncOptions: syncPolicy.syncOptions }),
    },
  };
}

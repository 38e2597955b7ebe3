import {
  type Application,
  type Condition,
  isAutomated,
  type Operation,
  type OperationState,
  type ResourceReference,
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
  if (assessment.sync !== 'OutOfSync' || !maySync(context, application)) return {};
  const revisions = assessment.revisions ?? [];
  const last = attemptAt(application, revisions);
  if (last === undefined) return { operation: automatedOperation(application, revisions) };
  if (last.phase !== 'Succeeded') return { condition: failedLastTime(last, revisions) };
  if (application.spec.syncPolicy?.automated?.selfHeal !== true) return {};
  return selfHeal(context, application, { last, assessment });
}

function failedLastTime(
  { message = '' }: OperationState,
  revisions: readonly string[],
): AutoSync['condition'] & object {
  return { type: 'SyncError', message: `Failed last sync attempt to [${revisions.join(' ')}]: ${message}` };
}

/** The last operation, if it has ended and was about these commits. */
function attemptAt({ spec, status }: Application, revisions: readonly string[]): OperationState | undefined {
  const last = status?.operationState;
  if (last?.syncResult === undefined || last.phase === 'Running' || last.phase === 'Terminating') return undefined;
  const { revision, revisions: several = [] } = last.syncResult;
  const tried = spec.sources === undefined ? [revision] : several;
  return tried.join() === revisions.join() ? last : undefined;
}

function maySync(context: ArgoContext, application: Application): boolean {
  const { operation, spec, metadata } = application;
  if (!isAutomated(spec) || operation !== undefined || metadata.deletionTimestamp !== undefined) return false;
  const project = projectOf(context, application);
  return project !== undefined && windowsAllow(project, application, 'argocd');
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

function automatedOperation({ spec }: Application, revisions: readonly string[]): Operation {
  const { automated, retry = { limit: 5 }, syncOptions } = spec.syncPolicy ?? {};
  return {
    initiatedBy: { automated: true },
    retry,
    sync: {
      ...(automated?.prune === true ? { prune: true } : {}),
      ...(spec.sources === undefined ? sourceAt(spec, revisions[0]) : {}),
      ...(syncOptions === undefined ? {} : { syncOptions }),
    },
  };
}

function sourceAt({ source }: Application['spec'], revision: string | undefined): Operation['sync'] {
  return { ...(revision === undefined ? {} : { revision }), ...(source === undefined ? {} : { source }) };
}

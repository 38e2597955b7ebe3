import type { KubeObject } from '../../store/objects.ts';
import { type Application, argocdController, instanceName, type Operation, type SyncResult } from './application.ts';
import { applyTask } from './apply-task.ts';
import type { ArgoContext } from './argo-context.ts';
import { type DesiredState, loadDesired } from './desired-state.ts';
import type { Project } from './projects.ts';
import type { Pause } from './routine.ts';
import { type Task, taskGroups } from './sync-tasks.ts';
import { validateTasks } from './validate-tasks.ts';
import { waitForGroup, waitMessage } from './wait-for-group.ts';

/** How an attempt at an operation ended. */
export interface AttemptOutcome {
  readonly phase: 'Succeeded' | 'Failed' | 'Error';
  readonly message: string;
  readonly syncResult?: SyncResult;
}

export interface Attempt {
  readonly context: ArgoContext;
  readonly application: Application;
  readonly operation: Operation;
  readonly project: Project;
  readonly marked: () => ReadonlyMap<string, KubeObject>;
  /** Shows what the operation waits for. */
  readonly report: (message: string, syncResult: SyncResult) => void;
}

/** One attempt: load, check, then phase by phase and wave by wave apply and wait. */
export function* syncAttempt(attempt: Attempt): Generator<Pause, AttemptOutcome, void> {
  const { context, application, operation } = attempt;
  const name = instanceName(application, context.namespace);
  const sync = operation.sync ?? {};
  const loaded = loadDesired(context, application, sync.revision);
  yield { ms: 5 };
  if ('error' in loaded) {
    return { phase: 'Error', message: `ComparisonError: ${loaded.error}`, syncResult: { revision: '' } };
  }
  const groups = taskGroups(loaded.desired, attempt.marked(), sync);
  const result = (): SyncResult => syncResultOf(application, loaded.desired, groups);
  context.behaviour.attempt?.(name);
  if (groups.length === 0) {
    return { phase: 'Succeeded', message: 'successfully synced (no more tasks)', syncResult: result() };
  }
  if (!validateTasks(attempt, groups.flat())) {
    return { phase: 'Failed', message: 'one or more synchronization tasks are not valid', syncResult: result() };
  }
  const startedAt = context.time.now();
  yield { ms: context.timing.apply(name) };
  createNamespace(attempt);
  const outcome = yield* runGroups(attempt, groups, result);
  if (outcome.phase === 'Succeeded') yield { ms: remainingMs(context, name, startedAt) };
  return { ...outcome, syncResult: result() };
}

function* runGroups(
  attempt: Attempt,
  groups: readonly (readonly Task[])[],
  result: () => SyncResult,
): Generator<Pause, AttemptOutcome, void> {
  const last = groups.at(-1);
  for (const group of groups) {
    yield* applyGroup(attempt, group);
    const failure = yield* failureOf(attempt, group, result);
    if (failure !== undefined) return failure;
    const hasHook = group.some((task) => task.hookType !== undefined);
    if (group === last && !hasHook) return { phase: 'Succeeded', message: 'successfully synced (all tasks run)' };
    if (group !== last) yield { ms: attempt.context.timing.waveDelay };
    const hasFailed = yield* waitForGroup(attempt.context, group, (message) => attempt.report(message, result()));
    // Only what could not be applied gives a reason.
    if (hasFailed) return { phase: 'Failed', message: unsuccessfulWords };
  }
  return { phase: 'Succeeded', message: 'successfully synced (no more tasks)' };
}

function* applyGroup(
  { context, application, operation }: Attempt,
  group: readonly Task[],
): Generator<Pause, void, void> {
  const name = instanceName(application, context.namespace);
  const prune = operation.sync?.prune === true;
  for (const [turn, task] of group.entries()) {
    const pauseMs = turn === 0 ? 0 : context.timing.nextObject(name);
    if (pauseMs > 0) yield { ms: pauseMs };
    applyTask(context, name, task, { prune });
  }
}

function unsuccessful(reason: string): AttemptOutcome {
  return { phase: 'Failed', message: `${unsuccessfulWords}, reason: ${reason}` };
}

const unsuccessfulWords = 'one or more synchronization tasks completed unsuccessfully';

/** When everything in the group was refused the attempt ends at once; when something went through, a moment later and in other words. */
function* failureOf(
  attempt: Attempt,
  group: readonly Task[],
  result: () => SyncResult,
): Generator<Pause, AttemptOutcome | undefined, void> {
  const failed = group.filter((task) => task.result?.status === 'SyncFailed');
  const reason = failed[0]?.result?.message;
  if (reason === undefined) return undefined;
  const fine = group.find((task) => task.result?.status === 'Synced');
  if (fine === undefined) return { phase: 'Failed', message: `one or more objects failed to apply, reason: ${reason}` };
  yield { ms: attempt.context.timing.finish(attempt.application.metadata.name) };
  attempt.report(waitMessage(fine), result());
  yield { ms: 20 };
  return unsuccessful(reason);
}

function createNamespace({ context, application, operation }: Attempt): void {
  const name = application.spec.destination.namespace;
  if (name === undefined || !operation.sync?.syncOptions?.includes('CreateNamespace=true')) return;
  const type = context.typeOf('v1', 'Namespace');
  if (type === undefined || context.store.get(type, undefined, name) !== undefined) return;
  context.store.create(
    type,
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
    argocdController,
  );
}

function remainingMs(context: ArgoContext, application: string, startedAt: number): number {
  const wanted = context.behaviour.syncMs(application);
  if (wanted === undefined) return context.timing.finish(application);
  return Math.max(0, startedAt + wanted - context.time.now());
}

function syncResultOf(
  application: Application,
  desired: DesiredState,
  groups: readonly (readonly Task[])[],
): SyncResult {
  const resources = groups.flat().flatMap((task) => task.result ?? []);
  return {
    ...(resources.length === 0 ? {} : { resources }),
    ...(application.spec.sources === undefined
      ? { revision: desired.revisions[0] ?? '' }
      : { revision: '', revisions: desired.revisions }),
  };
}

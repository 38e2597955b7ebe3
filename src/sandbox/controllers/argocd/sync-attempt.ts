import { groupOf, type KubeObject } from '../../store/objects.ts';
import { type Application, argocdController, type Operation, type SyncResult } from './application.ts';
import { applyTask } from './apply-task.ts';
import type { ArgoContext } from './argo-context.ts';
import { type DesiredState, loadDesired } from './desired-state.ts';
import { findObject } from './find-object.ts';
import { objectHealth } from './object-health.ts';
import { condition, part } from './object-parts.ts';
import { isKindPermitted, type Project } from './projects.ts';
import type { Pause } from './routine.ts';
import { resultOf, type Task, taskGroups } from './sync-tasks.ts';

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
  const { name } = application.metadata;
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
  if (!validate(attempt, groups)) {
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
  const { context, application, operation } = attempt;
  const prune = operation.sync?.prune === true;
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    for (const [turn, task] of group.entries()) {
      const pauseMs = turn === 0 ? 0 : context.timing.nextObject(application.metadata.name);
      if (pauseMs > 0) yield { ms: pauseMs };
      applyTask(context, application.metadata.name, task, { prune });
    }
    const failure = yield* failureOf(attempt, group, result);
    if (failure !== undefined) return failure;
    const hasHook = group.some((task) => task.hookType !== undefined);
    if (isLast && !hasHook) return { phase: 'Succeeded', message: 'successfully synced (all tasks run)' };
    if (!isLast) yield { ms: context.timing.waveDelay };
    const waited = yield* waitForGroup(attempt, group, result);
    if (waited !== undefined) return waited;
  }
  return { phase: 'Succeeded', message: 'successfully synced (no more tasks)' };
}

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
  return { phase: 'Failed', message: `one or more synchronization tasks completed unsuccessfully, reason: ${reason}` };
}

function* waitForGroup(
  attempt: Attempt,
  group: readonly Task[],
  result: () => SyncResult,
): Generator<Pause, AttemptOutcome | undefined, void> {
  for (let isReported = false; ; ) {
    const states = group.map((task) => ({ task, state: taskState(attempt.context, task) }));
    const failed = states.find(({ state }) => state === 'failed');
    if (failed !== undefined) {
      const reason = failed.task.result?.message ?? '';
      return {
        phase: 'Failed',
        message: `one or more synchronization tasks completed unsuccessfully, reason: ${reason}`,
      };
    }
    const waiting = states.find(({ state }) => state === 'waiting');
    const first = waiting?.task ?? group[0];
    if (!isReported && first !== undefined) attempt.report(waitMessage(first), result());
    isReported = true;
    if (waiting === undefined) break;
    yield 'change';
  }
  for (const task of group) {
    if (task.result === undefined) continue;
    const isJob = task.hookType !== undefined && task.object.kind === 'Job';
    const message = isJob ? 'Reached expected number of succeeded pods' : task.result.message;
    task.result = { ...task.result, hookPhase: 'Succeeded', message };
  }
  return undefined;
}

function waitMessage(task: Task): string {
  const { object, hookType } = task;
  const which = `${groupOf(object.apiVersion)}/${object.kind}/${object.metadata.name}`;
  return hookType === undefined ? `waiting for healthy state of ${which}` : `waiting for completion of hook ${which}`;
}

function taskState(context: ArgoContext, task: Task): 'done' | 'waiting' | 'failed' {
  if (task.isPrune) return 'done';
  const live = findObject(context, task.object);
  if (live === undefined) return task.hookType === undefined ? 'waiting' : 'done';
  if (task.hookType !== undefined && live.kind === 'Job') {
    const status = part(live['status']);
    if (condition(status, 'Failed')?.status === 'True') return 'failed';
    return condition(status, 'Complete')?.status === 'True' ? 'done' : 'waiting';
  }
  const health = objectHealth(live, false);
  if (health === 'Degraded') return 'failed';
  return health === undefined || health === 'Healthy' ? 'done' : 'waiting';
}

/** Finds tasks that cannot work before anything is applied; notes the reason in them. */
function validate({ context, project, operation }: Attempt, groups: readonly (readonly Task[])[]): boolean {
  const all = groups.flat();
  const options = operation.sync?.syncOptions ?? [];
  let isValid = true;
  for (const task of all) {
    const message = invalidity(context, project, task) ?? unknownKind(context, task, all, options);
    if (message === undefined) continue;
    isValid = false;
    task.result = resultOf(task, { status: 'SyncFailed', message });
  }
  return isValid;
}

function invalidity(context: ArgoContext, project: Project, { object }: Task): string | undefined {
  if (isKindPermitted(context, project, object)) return undefined;
  return `resource ${groupOf(object.apiVersion)}:${object.kind} is not permitted in project ${project.metadata.name}`;
}

const skipOption = 'SkipDryRunOnMissingResource=true';

function unknownKind(
  context: ArgoContext,
  { object, isPrune }: Task,
  all: readonly Task[],
  options: readonly string[],
): string | undefined {
  if (isPrune || context.typeOf(object.apiVersion, object.kind) !== undefined) return undefined;
  const own = object.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '';
  if (options.includes(skipOption) || own.includes(skipOption)) return undefined;
  const group = groupOf(object.apiVersion);
  if (all.some((other) => defines(other.object, group, object.kind))) return undefined;
  return `The Kubernetes API could not find ${group}/${object.kind} for requested resource ${object.metadata.namespace}/${object.metadata.name}. Make sure the "${object.kind}" CRD is installed on the destination cluster.`;
}

/** A definition in the same operation is enough: Argo CD skips the dry run of its kind then. */
function defines(definition: KubeObject, group: string, kind: string): boolean {
  if (definition.kind !== 'CustomResourceDefinition') return false;
  const spec = definition['spec'] as { group?: string; names?: { kind?: string } } | undefined;
  return spec?.group === group && spec.names?.kind === kind;
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

import { parseDuration } from '../../../core/platform/parse-duration.ts';
import type { KubeObject } from '../../store/objects.ts';
import { timestamp } from '../../store/store.ts';
import type { AppState } from './app-state.ts';
import {
  type Application,
  type ApplicationStatus,
  changeApplication,
  type HistoryEntry,
  type Operation,
  type OperationState,
  type RetryPolicy,
  readApplication,
} from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { projectOf, projectRefusal } from './projects.ts';
import type { Pause, Steps } from './routine.ts';
import { type AttemptOutcome, syncAttempt } from './sync-attempt.ts';
import { windowsAllow } from './sync-windows.ts';

export interface OperationSurroundings {
  readonly context: ArgoContext;
  readonly state: AppState;
  /** The objects that carry the Application's mark, as they are and as Argo CD's cache shows them. */
  readonly marked: () => ReadonlyMap<string, KubeObject>;
  readonly cached: () => ReadonlyMap<string, KubeObject>;
  readonly onFinished: () => void;
}

/** The reconciler of operations: from the request in `.operation` to its last phase, retries included. */
export function* runOperation(surroundings: OperationSurroundings): Steps {
  const { timing } = surroundings.context;
  yield { ms: timing.operationPickup(surroundings.state.name) };
  const requested = read(surroundings)?.operation;
  if (requested === undefined) return;
  const isFirst = begin(surroundings, requested);
  yield { ms: timing.operationStart(surroundings.state.name) };
  yield* waitForWindow(surroundings, isFirst);
  for (;;) {
    const current = running(surroundings);
    if (current === undefined) return;
    const outcome = yield* attempt(surroundings, current.application, current.operation);
    const retry = nextRetry(surroundings, current.operation, outcome);
    if (retry === undefined) {
      finish(surroundings, afterRetries(surroundings, outcome));
      return;
    }
    yield* pauseBeforeRetry(surroundings, outcome, retry);
  }
}

/** What counts is what was asked for when it began, even if somebody has written another request over it since. */
function running(surroundings: OperationSurroundings): { application: Application; operation: Operation } | undefined {
  const application = read(surroundings);
  const operation = application?.status?.operationState?.operation;
  if (application?.operation === undefined || operation === undefined) return undefined;
  return { application, operation };
}

/** Ends an operation that somebody has set to Terminating; not while a sync window blocks it: then it stays so. */
export function terminateOperation(surroundings: OperationSurroundings): void {
  if (isBlocked(surroundings, { isFirstPass: false })) return;
  const syncResult = read(surroundings)?.status?.operationState?.syncResult;
  finish(surroundings, {
    phase: 'Failed',
    message: 'Operation terminated',
    ...(syncResult === undefined ? {} : { syncResult }),
  });
}

function read({ context, state }: OperationSurroundings): Application | undefined {
  return readApplication(context.store, context.applicationType, state);
}

function changeState(
  { context, state }: OperationSurroundings,
  mutate: (before: OperationState | undefined) => OperationState,
): void {
  changeApplication(context.store, context.applicationType, state, (current) => ({
    ...current,
    status: { ...current.status, operationState: mutate(current.status?.operationState) },
  }));
}

/** False when the state says that the operation was running already, before the controller restarted. */
function begin(surroundings: OperationSurroundings, operation: Operation): boolean {
  const known = read(surroundings)?.status?.operationState;
  if (known?.phase === 'Running') return false;
  const startedAt = timestamp(surroundings.context.time.now());
  // The controller merges: what the client did not take away of the last operation's state stays beside the new phase.
  changeState(surroundings, (before) => ({
    ...before,
    operation: { ...operation, retry: operation.retry ?? {} },
    phase: 'Running',
    startedAt,
  }));
  return true;
}

/**
 * On its first pass Argo CD does not know yet who asked, takes the operation for an automated one and calls it blocked;
 * a manual one goes on at the next pass, an automated one stays until something changes.
 */
function* waitForWindow(surroundings: OperationSurroundings, isFirst: boolean): Generator<Pause, void, void> {
  for (let isFirstPass = isFirst; isBlocked(surroundings, { isFirstPass }); isFirstPass = false) {
    changeState(surroundings, (before) => ({
      ...(before as OperationState),
      message: 'Sync operation blocked by sync window',
    }));
    if (isFirstPass) yield { ms: surroundings.context.timing.operationStart(surroundings.state.name) };
    else yield 'change';
  }
}

function isBlocked(surroundings: OperationSurroundings, { isFirstPass }: { isFirstPass: boolean }): boolean {
  const application = read(surroundings);
  const project = application === undefined ? undefined : projectOf(surroundings.context, application);
  if (application === undefined || project === undefined) return false;
  const isManual = !isFirstPass && application.status?.operationState?.operation.initiatedBy?.automated !== true;
  return !windowsAllow(project, application, isManual ? 'hand' : 'argocd');
}

function* attempt(
  surroundings: OperationSurroundings,
  application: Application,
  operation: Operation,
): Generator<Pause, AttemptOutcome, void> {
  const { context } = surroundings;
  const project = projectOf(context, application);
  if (project === undefined) {
    const name = application.spec.project;
    const message = `Failed to load application project: error getting app project "${name}": appproject.argoproj.io "${name}" not found`;
    return { phase: 'Error', message };
  }
  const refusal = projectRefusal(application, project);
  if (refusal !== undefined) {
    return { phase: 'Error', message: `InvalidSpecError: ${refusal}`, syncResult: { revision: '' } };
  }
  return yield* syncAttempt({
    context,
    application,
    operation,
    project,
    marked: surroundings.marked,
    report: (message, syncResult) =>
      changeState(surroundings, (before) => ({ ...(before as OperationState), message, syncResult })),
  });
}

interface Retry {
  readonly count: number;
  readonly waitMs: number;
}

function nextRetry(
  surroundings: OperationSurroundings,
  operation: Operation,
  outcome: AttemptOutcome,
): Retry | undefined {
  const { limit = 0, backoff = {} }: RetryPolicy = operation.retry ?? {};
  const done = retriesOf(surroundings);
  // A negative limit means for ever.
  const isLast = limit >= 0 && done >= limit;
  if (outcome.phase === 'Succeeded' || isLast) return undefined;
  return { count: done + 1, waitMs: backoffMs(backoff, done + 1) };
}

function retriesOf(surroundings: OperationSurroundings): number {
  return read(surroundings)?.status?.operationState?.retryCount ?? 0;
}

function backoffMs({ duration = '5s', factor = 2, maxDuration = '3m' }: Backoff, count: number): number {
  return Math.min((parseDuration(duration) ?? 0) * factor ** count, parseDuration(maxDuration) ?? 0);
}

type Backoff = NonNullable<RetryPolicy['backoff']>;

function afterRetries(surroundings: OperationSurroundings, outcome: AttemptOutcome): AttemptOutcome {
  const count = retriesOf(surroundings);
  if (count === 0 || outcome.phase === 'Succeeded') return outcome;
  return { ...outcome, message: `${outcome.message} (retried ${count} times).` };
}

/** The trap: between two attempts the phase is Running and `finishedAt` is set. */
function* pauseBeforeRetry(
  surroundings: OperationSurroundings,
  outcome: AttemptOutcome,
  { count, waitMs }: Retry,
): Generator<Pause, void, void> {
  const { context } = surroundings;
  const finishedAt = timestamp(context.time.now());
  const retryAtMs = Date.parse(finishedAt) + waitMs;
  changeState(surroundings, (before) => ({
    ...(before as OperationState),
    phase: 'Running',
    finishedAt,
    retryCount: count,
    message: `${outcome.message}. Retrying attempt #${count} at ${kitchenTime(retryAtMs)}.`,
    ...(outcome.syncResult === undefined ? {} : { syncResult: outcome.syncResult }),
  }));
  yield { ms: Math.max(0, retryAtMs - context.time.now()) };
  changeState(surroundings, (before) => {
    const { finishedAt: _finished, syncResult: _result, ...rest } = before as OperationState;
    return { ...rest, message: `Retrying operation. Attempt #${count}` };
  });
  yield { ms: context.timing.operationStart(surroundings.state.name) };
}

/** `9:22PM`. */
function kitchenTime(ms: number): string {
  const [hours = '0', minutes = '00'] = timestamp(ms).slice(11, 16).split(':');
  const hour = Number(hours);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minutes}${hour < 12 ? 'AM' : 'PM'}`;
}

/** Phase and the end of `.operation` in one patch; the verdict in the status stays the old one until the refresh. */
function finish(surroundings: OperationSurroundings, outcome: AttemptOutcome): void {
  const { context, state } = surroundings;
  state.operation = undefined;
  changeApplication(context.store, context.applicationType, state, (current) => {
    const { operation: _done, ...rest } = current;
    const before = current.status?.operationState as OperationState;
    const operationState: OperationState = {
      ...before,
      phase: outcome.phase,
      message: outcome.message,
      finishedAt: timestamp(context.time.now()),
      ...(outcome.syncResult === undefined ? {} : { syncResult: outcome.syncResult }),
    };
    return { ...rest, status: { ...current.status, operationState, ...withHistory(current, operationState) } };
  });
  surroundings.onFinished();
}

/** Argo CD remembers ten whole syncs; selective ones are not recorded, so nobody can roll back to half a state. */
function withHistory({ status, spec }: Application, done: OperationState): Pick<ApplicationStatus, 'history'> {
  if (!isWholeSync(done) || done.syncResult === undefined) return {};
  const { revision, revisions } = done.syncResult;
  const before = status?.history ?? [];
  const entry: HistoryEntry = {
    id: (before.at(-1)?.id ?? -1) + 1,
    deployStartedAt: done.startedAt,
    deployedAt: done.finishedAt ?? done.startedAt,
    ...given({ revision, revisions, source: spec.source }),
  };
  return { history: [...before, entry].slice(-10) };
}

function isWholeSync({ phase, operation }: OperationState): boolean {
  return phase === 'Succeeded' && (operation.sync?.resources ?? []).length === 0;
}

/** Only the fields that have a value. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

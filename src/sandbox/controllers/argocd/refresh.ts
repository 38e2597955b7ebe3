import { timestamp } from '../../store/store.ts';
import type { AppState, RefreshLevel } from './app-state.ts';
import {
  type Application,
  changeApplication,
  isFrozen,
  type Operation,
  readApplication,
  refreshAnnotation,
} from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { assess } from './assess.ts';
import { type AutoSync, decideAutoSync } from './auto-sync.ts';
import type { LiveViews } from './live-views.ts';
import { type Assessment, type RefreshDetails, withAssessment } from './refreshed-status.ts';

/** The reconciler of the status: compares, lets automated sync begin, writes the verdict. */
export interface Refresher {
  readonly context: ArgoContext;
  readonly views: LiveViews;
  readonly startOperation: (state: AppState) => void;
}

/** Asks for a refresh; requests that come before it begins become one, later ones make another. */
export function requestRefresh(refresher: Refresher, state: AppState, level: RefreshLevel, delayMs?: number): void {
  const { time, timing } = refresher.context;
  const current = state.refresh;
  if (state.isGone) return;
  if (current.stage === 'working') {
    state.refresh = { ...current, again: higher(current.again, level) };
    return;
  }
  const waitMs = delayMs ?? timing.refreshQueue(state.name);
  const at = time.now() + waitMs;
  if (current.stage === 'queued' && current.at <= at) {
    state.refresh = { ...current, level: higher(current.level, level) };
    return;
  }
  const before = current.stage === 'queued' ? current : undefined;
  before?.cancel();
  const cancel = time.after(waitMs, () => work(refresher, state));
  state.refresh = { stage: 'queued', level: higher(before?.level, level), at, cancel };
}

function higher(a: RefreshLevel | undefined, b: RefreshLevel): RefreshLevel {
  return a === 'latest' ? a : b;
}

function work(refresher: Refresher, state: AppState): void {
  const { context, views } = refresher;
  const { store, time, timing, applicationType } = context;
  const asked = state.refresh.stage === 'queued' ? state.refresh.level : 'recent';
  const application = readApplication(store, applicationType, state);
  if (application === undefined || isFrozen(application)) {
    state.refresh = { stage: 'idle' };
    return;
  }
  const sawAnnotation = application.metadata.annotations?.[refreshAnnotation] !== undefined;
  const isNew = application.status?.reconciledAt === undefined;
  const how = { level: sawAnnotation || isNew ? 'latest' : asked, sawAnnotation, startedAt: time.now() } as const;
  if (how.level === 'latest') state.isBlind = false;
  const assessment = assess(context, views, state, application);
  if (assessment.early) writeEarlyCondition(context, state, assessment);
  const cancel = time.after(timing.comparison(state.name), () => {
    const { condition } = beginAutoSync(refresher, state, assessment);
    const cancelPatch = time.after(timing.statusPatch(state.name), () =>
      write(refresher, state, { assessment: { ...assessment, condition }, how }),
    );
    if (state.refresh.stage === 'working') state.refresh = { ...state.refresh, cancel: cancelPatch };
  });
  state.refresh = { stage: 'working', again: undefined, cancel };
}

/** Comes before the verdict is written: that is why a new automated Application has an operation first and a status later. */
function beginAutoSync(refresher: Refresher, state: AppState, assessment: Assessment): AutoSync {
  const { store, time, applicationType } = refresher.context;
  const application = readApplication(store, applicationType, state);
  if (application === undefined) return {};
  const decision = decideAutoSync(refresher.context, application, assessment);
  if (decision.retryInMs !== undefined) {
    state.cancelSelfHeal?.();
    state.cancelSelfHeal = time.after(decision.retryInMs, () => requestRefresh(refresher, state, 'latest'));
  }
  const { operation } = decision;
  if (operation === undefined) return decision;
  changeApplication(store, applicationType, state, (current) => withAutomatedOperation(current, operation));
  refresher.startOperation(state);
  return decision;
}

/** Argo CD writes the whole object here, so that a new Application suddenly has an empty status. */
function withAutomatedOperation(current: Application, operation: Operation): Application {
  const { operationState: _old, ...status } = current.status ?? {};
  return { ...current, operation, status: { health: {}, sync: { status: '' }, ...status } };
}

function writeEarlyCondition({ store, time, applicationType }: ArgoContext, state: AppState, found: Assessment): void {
  const lastTransitionTime = timestamp(time.now());
  const conditions = found.conditions.map((condition) => ({ lastTransitionTime, ...condition }));
  changeApplication(store, applicationType, state, (current) =>
    current.status?.conditions === undefined ? { ...current, status: { ...current.status, conditions } } : current,
  );
}

function write(
  refresher: Refresher,
  state: AppState,
  { assessment, how }: { assessment: Assessment; how: Omit<RefreshDetails, 'atMs'> },
): void {
  const { store, time, timing, applicationType } = refresher.context;
  const again = state.refresh.stage === 'working' ? state.refresh.again : undefined;
  state.refresh = { stage: 'idle' };
  const atMs = time.now();
  changeApplication(store, applicationType, state, (current) => withAssessment(current, assessment, { ...how, atMs }));
  if (how.level === 'latest' || state.cancelResync === undefined) {
    state.cancelResync?.();
    state.cancelResync = time.after(timing.resync(state.name), () => requestRefresh(refresher, state, 'latest', 0));
  }
  if (again !== undefined) requestRefresh(refresher, state, again);
}

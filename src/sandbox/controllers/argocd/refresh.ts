import { timestamp } from '../../store/store.ts';
import type { AppState, RefreshLevel } from './app-state.ts';
import { type Application, changeApplication, readApplication, refreshAnnotation } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { assess } from './assess.ts';
import { type AutoSync, decideAutoSync } from './auto-sync.ts';
import type { LiveViews } from './live-views.ts';
import { type Assessment, withAssessment } from './refreshed-status.ts';

/** The reconciler of the status: compares, lets automated sync begin, writes the verdict. */
export interface Refresher {
  request(state: AppState, level: RefreshLevel, delayMs?: number): void;
}

export function createRefresher(
  context: ArgoContext,
  views: LiveViews,
  startOperation: (state: AppState) => void,
): Refresher {
  const { time, timing, store, applicationType } = context;

  function request(state: AppState, level: RefreshLevel, delayMs: number = timing.refreshQueue(state.name)): void {
    if (state.isGone) return;
    const current = state.refresh;
    if (current.stage === 'working') {
      state.refresh = { ...current, again: higher(current.again, level) };
      return;
    }
    const at = time.now() + delayMs;
    if (current.stage === 'queued' && current.at <= at) {
      state.refresh = { ...current, level: higher(current.level, level) };
      return;
    }
    const before = current.stage === 'queued' ? current : undefined;
    before?.cancel();
    const cancel = time.after(delayMs, () => work(state));
    state.refresh = { stage: 'queued', level: higher(before?.level, level), at, cancel };
  }

  function work(state: AppState): void {
    const asked = state.refresh.stage === 'queued' ? state.refresh.level : 'recent';
    const application = readApplication(store, applicationType, state);
    if (application === undefined) {
      state.refresh = { stage: 'idle' };
      return;
    }
    const sawAnnotation = application.metadata.annotations?.[refreshAnnotation] !== undefined;
    const level = sawAnnotation || isNew(application) ? 'latest' : asked;
    const startedAt = time.now();
    const assessment = assess(context, views, state, application);
    if ('early' in assessment) writeEarlyCondition(state, assessment);
    const finish = (condition: AutoSync['condition']): void => {
      write(state, { ...assessment, condition }, { level, sawAnnotation, startedAt });
    };
    const cancel = time.after(timing.comparison(state.name), () => {
      const decision = beginAutoSync(state, assessment);
      const cancelPatch = time.after(timing.statusPatch(state.name), () => finish(decision.condition));
      if (state.refresh.stage === 'working') state.refresh = { ...state.refresh, cancel: cancelPatch };
    });
    state.refresh = { stage: 'working', again: undefined, cancel };
  }

  function beginAutoSync(state: AppState, assessment: Assessment): AutoSync {
    const application = readApplication(store, applicationType, state);
    if (application === undefined) return {};
    const decision = decideAutoSync(context, application, assessment);
    if (decision.retryInMs !== undefined) time.after(decision.retryInMs, () => request(state, 'latest'));
    const { operation } = decision;
    if (operation === undefined) return decision;
    changeApplication(store, applicationType, state, (current) => withAutomatedOperation(current, operation));
    startOperation(state);
    return decision;
  }

  function writeEarlyCondition(state: AppState, assessment: Assessment): void {
    changeApplication(store, applicationType, state, (current) => {
      const conditions = assessment.conditions.map((condition) => ({
        lastTransitionTime: timestamp(time.now()),
        ...condition,
      }));
      return current.status?.conditions === undefined
        ? { ...current, status: { ...current.status, conditions } }
        : current;
    });
  }

  function write(state: AppState, assessment: Assessment, how: RefreshDetails): void {
    const again = state.refresh.stage === 'working' ? state.refresh.again : undefined;
    state.refresh = { stage: 'idle' };
    const atMs = time.now();
    changeApplication(store, applicationType, state, (current) =>
      withAssessment(current, assessment, { ...how, atMs }),
    );
    scheduleResync(state);
    if (again !== undefined) request(state, again);
  }

  function scheduleResync(state: AppState): void {
    state.cancelResync?.();
    state.cancelResync = time.after(timing.resync(state.name), () => request(state, 'latest', 0));
  }

  return { request };
}

export interface RefreshDetails {
  readonly level: RefreshLevel;
  readonly sawAnnotation: boolean;
  readonly startedAt: number;
}

function higher(a: RefreshLevel | undefined, b: RefreshLevel): RefreshLevel {
  return a === 'latest' ? a : b;
}

function isNew(application: Application): boolean {
  return application.status?.reconciledAt === undefined;
}

/** Argo CD writes the whole object here, so that a new Application suddenly has an empty status. */
function withAutomatedOperation(current: Application, operation: Application['operation'] & object): Application {
  const { operationState: _old, ...status } = current.status ?? {};
  return { ...current, operation, status: { health: {}, sync: { status: '' }, ...status } };
}

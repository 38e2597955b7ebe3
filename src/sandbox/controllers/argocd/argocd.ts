import type { ResourceType } from '../../store/objects.ts';
import type { Change } from '../../store/store.ts';
import { type AppState, dropAppState, newAppState } from './app-state.ts';
import { type Application, argocdController, refreshAnnotation } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { cascadeDeletion, hasCascadeFinalizer } from './deletion.ts';
import { createLiveViews } from './live-views.ts';
import { type OperationSurroundings, runOperation, terminateOperation } from './operation.ts';
import { createRefresher } from './refresh.ts';
import { startRoutine } from './routine.ts';

export interface ArgoCd {
  /** Forgets everything that is under way and begins again with what stands in the cluster. */
  restart(): void;
  stop(): void;
}

/** Argo CD's application controller: two reconcilers, one of the status and one of operations, that do not wait for each other. */
export function createArgoCd(context: ArgoContext): ArgoCd {
  const { store, time, timing } = context;
  const states = new Map<string, AppState>();
  const views = createLiveViews(context, {
    onView: (name) =>
      withState(name, (state) => {
        refresher.request(state, 'recent', 0);
        state.deletion?.wake();
      }),
    onObject: (name) =>
      withState(name, (state) => {
        state.operation?.wake();
        state.deletion?.wake();
      }),
  });
  const refresher = createRefresher(context, views, startOperation);

  function withState(name: string, act: (state: AppState) => void): void {
    const state = states.get(name);
    if (state !== undefined) act(state);
  }

  function surroundings(state: AppState): OperationSurroundings {
    return {
      context,
      state,
      marked: () => views.marked(state.name),
      cached: () => views.cached(state.name),
      onFinished: () => refresher.request(state, 'latest', timing.refreshAfterOperation(state.name)),
    };
  }

  function startOperation(state: AppState): void {
    if (state.operation !== undefined) return;
    state.operation = startRoutine(time, runOperation(surroundings(state)), () => 20);
  }

  function follow(application: Application): void {
    const { name, namespace = '' } = application.metadata;
    const state = newAppState(name, namespace);
    states.set(name, state);
    views.of(name);
    refresher.request(state, 'latest');
    if (application.operation !== undefined) startOperation(state);
    if (application.metadata.deletionTimestamp !== undefined) startDeletion(state, application);
  }

  function startDeletion(state: AppState, application: Application): void {
    if (state.deletion !== undefined || !hasCascadeFinalizer(application)) return;
    state.operation?.cancel();
    state.deletion = startRoutine(time, cascadeDeletion(surroundings(state)), () => 20);
  }

  function forget(name: string): void {
    withState(name, dropAppState);
    states.delete(name);
    views.forget(name);
  }

  function onApplication(change: Change): void {
    // The API server has checked the shape of what stands in the store.
    const application = change.object as Application;
    const { name } = application.metadata;
    if (change.type === 'DELETED') return forget(name);
    const state = states.get(name);
    if (state === undefined) return follow(application);
    if (change.by !== argocdController && isOverlooked(state, change)) return;
    react(state, application, change.previous as Application | undefined);
  }

  /** A patch made at the moment of the controller's own write can be lost in its cache until the next change. */
  function isOverlooked(state: AppState, { object, previous }: Change): boolean {
    const asks = asksForSomething(object as Application, previous as Application | undefined);
    state.isOverlooking = asks && timing.overlooks(state.name);
    return state.isOverlooking;
  }

  function react(state: AppState, application: Application, previous: Application | undefined): void {
    const { metadata, operation, status } = application;
    if (metadata.deletionTimestamp !== undefined) startDeletion(state, application);
    if (state.isOverlooking) return;
    if (operation === undefined) endOperation(state);
    else if (status?.operationState?.phase === 'Terminating') terminate(state);
    else if (metadata.deletionTimestamp === undefined) startOperation(state);
    state.operation?.wake();
    const isAsked = metadata.annotations?.[refreshAnnotation] !== undefined;
    if ((isAsked && metadata.annotations !== previous?.metadata.annotations) || application.spec !== previous?.spec) {
      if (isAsked || JSON.stringify(application.spec) !== JSON.stringify(previous?.spec)) {
        refresher.request(state, 'latest');
      }
    }
  }

  function endOperation(state: AppState): void {
    state.operation?.cancel();
    state.operation = undefined;
  }

  function terminate(state: AppState): void {
    state.operation?.cancel();
    const cancel = time.after(timing.terminate(state.name), () => terminateOperation(surroundings(state)));
    state.operation = { cancel, wake: () => {} };
  }

  function onChange(change: Change): void {
    views.observe(change);
    if (isApplication(change.resource)) onApplication(change);
  }

  function start(): void {
    for (const object of store.list(context.applicationType)) follow(object as Application);
  }

  function restart(): void {
    for (const name of [...states.keys()]) forget(name);
    start();
  }

  const unsubscribe = store.subscribe(onChange);
  start();
  return {
    restart,
    stop() {
      unsubscribe();
      for (const name of [...states.keys()]) forget(name);
    },
  };
}

function isApplication(type: ResourceType): boolean {
  return type.kind === 'Application' && type.group === 'argoproj.io';
}

function asksForSomething(application: Application, previous: Application | undefined): boolean {
  const isNewOperation = application.operation !== undefined && previous?.operation === undefined;
  const isNewRefresh =
    application.metadata.annotations?.[refreshAnnotation] !== undefined &&
    previous?.metadata.annotations?.[refreshAnnotation] === undefined;
  return isNewOperation || isNewRefresh;
}

import type { KubeObject } from '../../store/objects.ts';
import type { Change } from '../../store/store.ts';
import { type AppState, dropAppState, newAppState } from './app-state.ts';
import { type Application, argocdController, instanceName, isFrozen, refreshAnnotation } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { cascadeDeletion, hasCascadeFinalizer } from './deletion.ts';
import { createLiveViews, type LiveViews } from './live-views.ts';
import { type OperationSurroundings, runOperation, terminateOperation } from './operation.ts';
import { type Refresher, requestRefresh } from './refresh.ts';
import { startRoutine } from './routine.ts';

export interface ArgoCd {
  /** Forgets everything that is under way and begins again with what stands in the cluster. */
  restart(): void;
  stop(): void;
}

/** Argo CD's application controller: two reconcilers, one of the status and one of operations, that do not wait for each other. */
export function createArgoCd(context: ArgoContext): ArgoCd {
  const states = new Map<string, AppState>();
  const views = createLiveViews(context, {
    onView(name) {
      const state = states.get(name);
      if (state === undefined) return;
      if (!state.isBlind) requestRefresh(controller.refresher, state, 'recent', 0);
      state.deletion?.wake();
    },
    onObject(name) {
      states.get(name)?.operation?.wake();
      states.get(name)?.deletion?.wake();
    },
  });
  const startOperation = (state: AppState): void => beginOperation(controller, state);
  const controller: Controller = { context, states, views, refresher: { context, views, startOperation } };
  const unsubscribe = context.store.subscribe((change) => {
    views.observe(change);
    if (changesHealthChecks(context, change)) for (const state of states.values()) state.isBlind = true;
    if (change.resource.kind === 'Application' && change.resource.group === 'argoproj.io') react(controller, change);
  });
  start(controller);
  return {
    restart() {
      for (const name of [...states.keys()]) forget(controller, name);
      start(controller);
    },
    stop() {
      unsubscribe();
      for (const name of [...states.keys()]) forget(controller, name);
    },
  };
}

/** After that Argo CD drops its cache and sees live changes again only when each Application has been reconciled. */
function changesHealthChecks({ namespace }: ArgoContext, { object, previous }: Change): boolean {
  if (object.kind !== 'ConfigMap' || object.metadata.name !== 'argocd-cm') return false;
  return object.metadata.namespace === namespace && customizations(object) !== customizations(previous);
}

function customizations(settings: KubeObject | undefined): string {
  const data = (settings?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return JSON.stringify(Object.entries(data).filter(([key]) => key.startsWith('resource.customizations')));
}

interface Controller {
  readonly context: ArgoContext;
  readonly states: Map<string, AppState>;
  readonly views: LiveViews;
  readonly refresher: Refresher;
}

function start(controller: Controller): void {
  const { store, applicationType } = controller.context;
  // The API server has checked the shape of what stands in the store.
  for (const object of store.list(applicationType)) follow(controller, object as Application);
}

function follow(controller: Controller, application: Application): void {
  const { name, namespace = '' } = application.metadata;
  const instance = instanceName(application, controller.context.namespace);
  const state = newAppState({ name, namespace, instance });
  controller.states.set(instance, state);
  controller.views.of(instance);
  requestRefresh(controller.refresher, state, 'latest');
  if (application.operation !== undefined) beginOperation(controller, state);
  if (application.metadata.deletionTimestamp !== undefined) beginDeletion(controller, state, application);
}

function forget({ states, views }: Controller, name: string): void {
  const state = states.get(name);
  if (state !== undefined) dropAppState(state);
  states.delete(name);
  views.forget(name);
}

function surroundings({ context, views, refresher }: Controller, state: AppState): OperationSurroundings {
  return {
    context,
    state,
    marked: () => views.marked(state.instance),
    cached: () => views.cached(state.instance),
    onFinished: () => requestRefresh(refresher, state, 'latest', context.timing.refreshAfterOperation(state.name)),
  };
}

/** How long the controller takes to notice a change it waits for. */
const noticeMs = (): number => 20;

function beginOperation(controller: Controller, state: AppState): void {
  if (state.operation !== undefined) return;
  state.operation = startRoutine(controller.context.time, runOperation(surroundings(controller, state)), noticeMs);
}

function endOperation(state: AppState): void {
  state.isTerminating = false;
  state.operation?.cancel();
  state.operation = undefined;
}

function terminate(controller: Controller, state: AppState): void {
  if (state.isTerminating) return;
  state.isTerminating = true;
  state.operation?.cancel();
  const { time, timing } = controller.context;
  const cancel = time.after(timing.terminate(state.name), () => {
    state.isTerminating = false;
    terminateOperation(surroundings(controller, state));
    endOperation(state);
  });
  state.operation = { cancel, wake: () => {} };
}

function beginDeletion(controller: Controller, state: AppState, application: Application): void {
  if (state.deletion !== undefined || !hasCascadeFinalizer(application)) return;
  endOperation(state);
  state.deletion = startRoutine(controller.context.time, cascadeDeletion(surroundings(controller, state)), noticeMs);
}

function react(controller: Controller, change: Change): void {
  const application = change.object as Application;
  const instance = instanceName(application, controller.context.namespace);
  const state = controller.states.get(instance);
  if (change.type === 'DELETED') forget(controller, instance);
  else if (state === undefined) follow(controller, application);
  else reactTo(controller, state, change);
}

function reactTo(controller: Controller, state: AppState, change: Change): void {
  const application = change.object as Application;
  const previous = change.previous as Application | undefined;
  if (application.metadata.deletionTimestamp !== undefined) beginDeletion(controller, state, application);
  if (change.by !== argocdController) {
    // A patch made at the moment of the controller's own write can be lost in its cache until the next change.
    state.isOverlooking = asksForSomething(application, previous) && controller.context.timing.overlooks(state.name);
  }
  if (state.isOverlooking || isFrozen(application)) return;
  reactToOperation(controller, state, application);
  if (wantsRefresh(application, previous)) requestRefresh(controller.refresher, state, 'latest');
}

function reactToOperation(controller: Controller, state: AppState, { operation, status, metadata }: Application): void {
  if (operation === undefined) endOperation(state);
  else if (status?.operationState?.phase === 'Terminating') terminate(controller, state);
  else if (metadata.deletionTimestamp === undefined) beginOperation(controller, state);
  state.operation?.wake();
}

function asksForSomething(application: Application, previous: Application | undefined): boolean {
  const isNewOperation = application.operation !== undefined && previous?.operation === undefined;
  return isNewOperation || (isAskedToRefresh(application) && !isAskedToRefresh(previous));
}

function isAskedToRefresh(application: Application | undefined): boolean {
  return application?.metadata.annotations?.[refreshAnnotation] !== undefined;
}

function wantsRefresh(application: Application, previous: Application | undefined): boolean {
  // Any change while the annotation is there counts: that is how a nonce frees a refresh that got stuck.
  if (isAskedToRefresh(application) && application.metadata.annotations !== previous?.metadata.annotations) return true;
  if (previous !== undefined && isFrozen(previous)) return true;
  if (application.spec === previous?.spec) return false;
  return JSON.stringify(application.spec) !== JSON.stringify(previous?.spec);
}

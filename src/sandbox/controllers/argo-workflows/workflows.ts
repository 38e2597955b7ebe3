import type { KubeObject, ResourceType } from '../../store/objects.ts';
import type { Change } from '../../store/store.ts';
import { workflowOfPod } from './execute-pod.ts';
import { createMutexes, type Mutexes } from './mutexes.ts';
import { type WorkflowsContext, workflowController } from './operation.ts';
import { reconcile } from './reconcile.ts';
import { endOfLife } from './time-to-live.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';
import { isCompleted, type Workflow } from './workflow.ts';

export interface Workflows {
  /** Forgets everything that is under way and begins again with what stands in the cluster. */
  restart(): void;
  stop(): void;
}

/** The controller of Argo Workflows: looks at a Workflow one requeue after each event about it, and at a new one at once. */
export function createWorkflows(context: WorkflowsContext): Workflows {
  const queue = createWorkQueue(context.time, (key) => work(controller, key));
  const expiry = createWorkQueue(context.time, (name) => expire(context, name));
  const controller: Controller = { context, queue, expiry, mutexes: readMutexes(context, queue) };
  const unsubscribe = context.store.subscribe((change) => react(controller, change));
  start(controller);
  return {
    restart() {
      queue.clear();
      controller.mutexes = readMutexes(context, queue);
      start(controller);
    },
    stop() {
      unsubscribe();
      queue.clear();
      expiry.clear();
    },
  };
}

interface Controller {
  readonly context: WorkflowsContext;
  readonly queue: WorkQueue;
  /** Completed Workflows that will be deleted. */
  readonly expiry: WorkQueue;
  mutexes: Mutexes;
}

function start({ context, queue }: Controller): void {
  for (const { metadata } of unfinished(context)) queue.add(metadata.name, 0);
}

function readMutexes(context: WorkflowsContext, queue: WorkQueue): Mutexes {
  const wake = (key: string): void => queue.add(key.slice(key.indexOf('/') + 1), context.requeueMs);
  return createMutexes(unfinished(context), wake);
}

function unfinished(context: WorkflowsContext): readonly Workflow[] {
  const type = workflowType(context);
  const all = type === undefined ? [] : context.store.list(type, context.namespace);
  // The API server takes any spec; what the controller cannot read it reports in the status.
  return all.filter((object): object is Workflow => !isCompleted(object));
}

function workflowType({ typeOf }: WorkflowsContext): ResourceType | undefined {
  return typeOf('argoproj.io/v1alpha1', 'Workflow');
}

function work({ context, queue, mutexes }: Controller, name: string): void {
  const type = workflowType(context);
  const workflow = type === undefined ? undefined : context.store.get(type, context.namespace, name);
  if (workflow === undefined) return;
  reconcile({ context, mutexes, requeueAfter: (ms) => queue.add(name, ms) }, workflow as Workflow);
}

function expire({ store, namespace, typeOf }: WorkflowsContext, name: string): void {
  const type = typeOf('argoproj.io/v1alpha1', 'Workflow');
  if (type !== undefined && store.get(type, namespace, name) !== undefined) {
    store.remove(type, namespace, name, workflowController);
  }
}

function react(controller: Controller, change: Change): void {
  const { object, resource } = change;
  const { context, queue } = controller;
  if (object.metadata.namespace !== context.namespace) return;
  if (resource.group === 'argoproj.io' && resource.kind === 'Workflow') reactToWorkflow(controller, change);
  else if (resource.group === 'argoproj.io' && resource.kind === 'WorkflowTaskSet') {
    if (change.type === 'MODIFIED') queue.add(object.metadata.name, context.requeueMs);
  } else if (resource.kind === 'Pod') {
    const name = workflowOfPod(object);
    if (name !== undefined) queue.add(name, context.requeueMs);
  }
}

function reactToWorkflow({ context, queue, expiry, mutexes }: Controller, { type, object, previous }: Change): void {
  const { name, namespace } = object.metadata;
  expiry.forget(name);
  if (type === 'DELETED') {
    queue.forget(name);
    mutexes.release(`${namespace}/${name}`);
  } else if (isCompleted(object)) {
    const end = endOfLife(object as Workflow);
    if (end !== undefined) expiry.add(name, Math.max(0, end - context.time.now()));
  } else {
    queue.add(name, isNews(previous) ? 0 : context.requeueMs);
  }
}

/** The controller does not see completed Workflows: one that is taken up again is new to it. */
function isNews(previous: KubeObject | undefined): boolean {
  return previous === undefined || isCompleted(previous);
}

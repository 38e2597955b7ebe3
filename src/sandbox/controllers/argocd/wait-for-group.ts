import { groupOf, type KubeObject } from '../../store/objects.ts';
import type { ArgoContext } from './argo-context.ts';
import { findObject } from './find-object.ts';
import { installedCheck } from './installed-checks.ts';
import { objectHealth } from './object-health.ts';
import { condition, part } from './object-parts.ts';
import type { Pause } from './routine.ts';
import type { Task } from './sync-tasks.ts';

/** Waits until every object of the wave is healthy and every hook has finished; true when one has failed. */
export function* waitForGroup(
  context: ArgoContext,
  group: readonly Task[],
  report: (message: string) => void,
): Generator<Pause, boolean, void> {
  for (let pass = 0; ; pass++) {
    const failed = group.filter((task) => stateOf(context, task) === 'failed');
    for (const task of failed) if (task.result !== undefined) task.result = { ...task.result, hookPhase: 'Failed' };
    if (failed.length > 0) return true;
    const waiting = group.find((task) => stateOf(context, task) === 'waiting');
    const shown = waiting ?? group[0];
    if (pass === 0 && shown !== undefined) report(waitMessage(shown));
    if (waiting === undefined) break;
    yield 'change';
  }
  for (const task of group) noteSuccess(task);
  return false;
}

/** `waiting for healthy state of apps/Deployment/web`. */
export function waitMessage({ object, hookType }: Task): string {
  const which = `${groupOf(object.apiVersion)}/${object.kind}/${object.metadata.name}`;
  return hookType === undefined ? `waiting for healthy state of ${which}` : `waiting for completion of hook ${which}`;
}

type TaskState = 'done' | 'waiting' | 'failed';

function stateOf(context: ArgoContext, task: Task): TaskState {
  if (task.isPrune) return 'done';
  const live = findObject(context, task.object);
  if (task.hookType !== undefined) return live === undefined ? 'done' : hookState(context, live);
  return live === undefined ? 'waiting' : objectState(context, live);
}

function hookState(context: ArgoContext, live: KubeObject): TaskState {
  if (live.kind !== 'Job') return objectState(context, live);
  const status = part(live['status']);
  if (condition(status, 'Failed')?.status === 'True') return 'failed';
  return condition(status, 'Complete')?.status === 'True' ? 'done' : 'waiting';
}

/** A Degraded object ends the operation: a Ceph cluster that only warns does, too, when a wave comes after it. */
function objectState(context: ArgoContext, live: KubeObject): TaskState {
  const health = objectHealth(live, installedCheck(context));
  if (health === 'Degraded') return 'failed';
  return health === undefined || health === 'Healthy' ? 'done' : 'waiting';
}

function noteSuccess(task: Task): void {
  if (task.result === undefined) return;
  const isJob = task.hookType !== undefined && task.object.kind === 'Job';
  const message = isJob ? 'Reached expected number of succeeded pods' : task.result.message;
  task.result = { ...task.result, hookPhase: 'Succeeded', message };
}

import type { App } from '../../core/platform/platform.ts';
import { groupOf, type KubeObject } from '../store/objects.ts';
import type { ScriptedState } from './scenario.ts';
import { isVaultState } from './vault.ts';
import { statusIn } from './workload-status.ts';
import type { World } from './world.ts';

/** What an object goes through after it was applied: states with the time at which each begins. */
export interface WorkloadScript {
  readonly states: readonly { readonly atMs: number; readonly state: string }[];
  readonly deleteMs: number;
  /** Put on the object by its operator, or by somebody who never takes it away. */
  readonly finalizers: readonly string[];
}

export const foreignFinalizer = 'example.com/never-removed';

/** Stands for the pods of a workload, which the sandbox does not have: they take their time to stop. */
export const podsFinalizer = 'sandbox.tiphys.dev/pods';

/** The script of an object: that of the app it belongs to, or an ordinary one for what people create by hand. */
export function workloadScript(world: World, application: string, object: KubeObject): WorkloadScript {
  const app = world.appOf(application);
  if (app === undefined) return ordinary;
  const behaviour = world.behaviour(app);
  const isMain = isMainObject(app, object);
  const states = isPrompt(object)
    ? promptStates(world, app, object)
    : (scripted(world, app, isMain) ?? usual(app, object, behaviour.readyMs));
  return { states, deleteMs: behaviour.deleteMs, finalizers: finalizersOf(world, app, object) };
}

const ordinary: WorkloadScript = { states: [{ atMs: 3000, state: 'ready' }], deleteMs: 500, finalizers: [] };

/** Claims are bound and hooks are run in a moment; they are not what an app waits for. */
function isPrompt(object: KubeObject): boolean {
  return object.kind === 'PersistentVolumeClaim' || object.kind === 'Job';
}

function promptStates(world: World, app: App, object: KubeObject): WorkloadScript['states'] {
  // A StatefulSet cannot say that it has failed; the lost volume of a degraded database can.
  const isLost = object.kind === 'PersistentVolumeClaim' && world.fault(app.name, 'degraded') !== undefined;
  return [{ atMs: 1000, state: isLost ? 'degraded' : 'ready' }];
}

/** The one object of an app that does its work. */
function isMainObject(app: App, object: KubeObject): boolean {
  return object.metadata.name === app.name && statusIn(object, 'ready') !== undefined;
}

function scripted(world: World, app: App, isMain: boolean): WorkloadScript['states'] | undefined {
  const { states, readyMs } = world.behaviour(app);
  // A fault is stronger than the script.
  if (world.fault(app.name, 'never-healthy') !== undefined) return [{ atMs: 1000, state: 'progressing' }];
  if (world.fault(app.name, 'degraded') !== undefined) {
    return [
      { atMs: 1000, state: 'progressing' },
      { atMs: readyMs, state: 'degraded' },
    ];
  }
  return states === undefined || !isMain ? undefined : inTime(states.filter(({ state }) => !isVaultState(state)));
}

function inTime(states: readonly ScriptedState[]): WorkloadScript['states'] | undefined {
  if (states.length === 0) return undefined;
  let atMs = 500;
  return states.map(({ state, forMs = 0 }) => {
    const begins = atMs;
    atMs += forMs;
    return { atMs: begins, state };
  });
}

/** A new Ceph cluster warns for a while before it is fine; everything else is not ready, and then it is. */
function usual(app: App, object: KubeObject, readyMs: number): WorkloadScript['states'] {
  const isCustom = groupOf(object.apiVersion).includes('.');
  const begin = isCustom ? [{ atMs: 500, state: 'progressing' }] : [];
  const warn = app.type === 'ceph' && isCustom ? [{ atMs: readyMs * 0.8, state: 'HEALTH_WARN' }] : [];
  return [...begin, ...warn, { atMs: readyMs, state: 'ready' }];
}

function finalizersOf(world: World, app: App, object: KubeObject): readonly string[] {
  const group = groupOf(object.apiVersion);
  const isCustom = group.includes('.') && isMainObject(app, object);
  const foreign = world.fault(app.name, 'stuck-finalizer') !== undefined && isMainObject(app, object);
  return [...(isCustom ? [`${group}/${object.kind.toLowerCase()}`] : []), ...(foreign ? [foreignFinalizer] : [])];
}

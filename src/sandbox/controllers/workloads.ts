import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Change, Store } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import { foreignFinalizer, podsFinalizer, type WorkloadScript } from '../world/workload-script.ts';
import { statusIn } from '../world/workload-status.ts';
import { trackedBy } from './argocd/desired-state.ts';
import { objectKey } from './argocd/object-key.ts';

const by = 'workloads';

export interface Workloads {
  /** Plays the scripts of this Application's objects again from the start, because they have changed. */
  replay(application: string): void;
  stop(): void;
}

interface Actor {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly application: string;
  readonly cancels: (() => void)[];
}

/** Kubelet, schedulers and operators in one: objects become what their script says, at its times. */
export function createWorkloads(cluster: { store: Store; time: SandboxTime }, script: Script): Workloads {
  const stage: Stage = { ...cluster, script, actors: new Map() };
  const unsubscribe = cluster.store.subscribe((change) => follow(stage, change));
  return {
    replay: (application) => replay(stage, application),
    stop() {
      unsubscribe();
      for (const key of [...stage.actors.keys()]) dismiss(stage, key);
    },
  };
}

type Script = (application: string, object: KubeObject) => WorkloadScript | undefined;

interface Stage {
  readonly store: Store;
  readonly time: SandboxTime;
  readonly script: Script;
  readonly actors: Map<string, Actor>;
}

function follow(stage: Stage, { type: event, resource, object, previous }: Change): void {
  if (uninteresting.has(resource.kind)) return;
  const key = objectKey(object);
  if (event === 'DELETED') {
    dismiss(stage, key);
    return;
  }
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const wasLeaving = previous?.metadata.deletionTimestamp !== undefined;
  const isOther = object.metadata.generation !== previous?.metadata.generation;
  if (event === 'ADDED' || isLeaving !== wasLeaving || (isOther && !isLeaving)) start(stage, key, resource, object);
}

function start(stage: Stage, key: string, type: ResourceType, object: KubeObject): Actor {
  dismiss(stage, key);
  const actor: Actor = { type, object, application: trackedBy(object) ?? '', cancels: [] };
  stage.actors.set(key, actor);
  const script = stage.script(actor.application, object);
  if (script === undefined) return actor;
  if (object.metadata.deletionTimestamp === undefined) play(stage, actor, script);
  else leave(stage, actor, script);
  return actor;
}

function dismiss({ actors }: Stage, key: string): void {
  for (const cancel of actors.get(key)?.cancels ?? []) cancel();
  actors.delete(key);
}

function later(
  { store, time }: Stage,
  actor: Actor,
  { atMs, mutate }: { atMs: number; mutate: (object: KubeObject) => KubeObject },
): void {
  const { name, namespace } = actor.object.metadata;
  actor.cancels.push(time.after(atMs, () => store.change(actor.type, namespace, name, by, mutate)));
}

function play(stage: Stage, actor: Actor, { states, finalizers }: WorkloadScript): void {
  if (finalizers.length > 0) {
    later(stage, actor, { atMs: 50, mutate: (object) => withFinalizers(object, finalizers) });
  }
  if (statusIn(actor.object, 'ready') === undefined) return;
  for (const { atMs, state } of states) later(stage, actor, { atMs, mutate: (object) => inState(object, state) });
}

function leave(stage: Stage, actor: Actor, { deleteMs, finalizers }: WorkloadScript): void {
  const own = new Set([podsFinalizer, ...finalizers]);
  own.delete(foreignFinalizer);
  later(stage, actor, { atMs: deleteMs, mutate: (object) => withoutFinalizers(object, own) });
}

function replay(stage: Stage, application: string): void {
  for (const [key, { application: own, type, object }] of [...stage.actors]) {
    const { name, namespace } = object.metadata;
    const current = own === application ? stage.store.get(type, namespace, name) : undefined;
    if (current === undefined) continue;
    const actor = start(stage, key, type, current);
    // Who tries again must not meet the old failure.
    later(stage, actor, { atMs: 50, mutate: (found) => inState(found, 'progressing') });
    if (stage.script(application, current)?.finalizers.includes(foreignFinalizer) === true) continue;
    later(stage, actor, { atMs: 50, mutate: (found) => withoutFinalizers(found, foreign) });
  }
}

const foreign: ReadonlySet<string> = new Set([foreignFinalizer]);

const uninteresting = new Set(['Application', 'AppProject', 'Namespace', 'Lease', 'CustomResourceDefinition', 'Event']);

function inState(object: KubeObject, state: string): KubeObject {
  const status = object.metadata.deletionTimestamp === undefined ? statusIn(object, state) : undefined;
  return status === undefined ? object : { ...object, status };
}

function withFinalizers(object: KubeObject, more: readonly string[]): KubeObject {
  if (object.metadata.deletionTimestamp !== undefined) return object;
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), ...more])];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Its operator is done with it; what somebody else has put there stays. */
function withoutFinalizers(object: KubeObject, own: ReadonlySet<string>): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => !own.has(name));
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

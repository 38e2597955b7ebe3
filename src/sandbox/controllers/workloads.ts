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
export function createWorkloads(
  { store, time }: { store: Store; time: SandboxTime },
  script: (application: string, object: KubeObject) => WorkloadScript | undefined,
): Workloads {
  const actors = new Map<string, Actor>();

  function change(actor: Actor, mutate: (object: KubeObject) => KubeObject): void {
    const { name, namespace } = actor.object.metadata;
    store.change(actor.type, namespace, name, by, mutate);
  }

  function play(actor: Actor): void {
    const played = statusIn(actor.object, 'ready') === undefined ? undefined : script(actor.application, actor.object);
    const finalizers = played?.finalizers ?? script(actor.application, actor.object)?.finalizers ?? [];
    if (finalizers.length > 0) {
      actor.cancels.push(time.after(50, () => change(actor, (object) => withFinalizers(object, finalizers))));
    }
    for (const { atMs, state } of played?.states ?? []) {
      actor.cancels.push(time.after(atMs, () => change(actor, (object) => inState(object, state))));
    }
  }

  function leave(actor: Actor): void {
    const played = script(actor.application, actor.object);
    const own = new Set([podsFinalizer, ...(played?.finalizers ?? [])]);
    own.delete(foreignFinalizer);
    actor.cancels.push(time.after(played?.deleteMs ?? 90, () => change(actor, (object) => withoutFinalizers(object, own))));
  }

  function stopActor(key: string): void {
    for (const cancel of actors.get(key)?.cancels ?? []) cancel();
    actors.delete(key);
  }

  function start(key: string, type: ResourceType, object: KubeObject): void {
    const application = trackedBy(object) ?? '';
    stopActor(key);
    const actor: Actor = { type, object, application, cancels: [] };
    actors.set(key, actor);
    if (object.metadata.deletionTimestamp === undefined) play(actor);
    else leave(actor);
  }

  function onChange({ type: event, resource, object, previous }: Change): void {
    if (isBookkeeping(resource)) return;
    const key = objectKey(object);
    if (event === 'DELETED') {
      stopActor(key);
      return;
    }
    const isLeaving = object.metadata.deletionTimestamp !== undefined;
    const wasLeaving = previous?.metadata.deletionTimestamp !== undefined;
    const isOther = object.metadata.generation !== previous?.metadata.generation;
    if (event === 'ADDED' || isLeaving !== wasLeaving || (isOther && !isLeaving)) start(key, resource, object);
  }

  const unsubscribe = store.subscribe(onChange);
  return {
    replay(application) {
      for (const [key, { application: own, type, object }] of [...actors]) {
        const { name, namespace } = object.metadata;
        const current = own === application ? store.get(type, namespace, name) : undefined;
        if (current !== undefined) start(key, type, current);
      }
    },
    stop() {
      unsubscribe();
      for (const key of [...actors.keys()]) stopActor(key);
    },
  };
}

const uninteresting = new Set(['Application', 'AppProject', 'Namespace', 'Lease', 'CustomResourceDefinition', 'Event']);

function isBookkeeping(type: ResourceType): boolean {
  return uninteresting.has(type.kind);
}

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

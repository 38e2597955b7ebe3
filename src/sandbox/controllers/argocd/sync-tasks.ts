import { groupOf, type KubeObject } from '../../store/objects.ts';
import type { ResourceReference, ResourceResult, SyncOperation } from './application.ts';
import { type DesiredState, isHook, waveOf } from './desired-state.ts';
import { objectKey, versionOf } from './object-key.ts';

/** One object to apply or to prune in one operation. */
export interface Task {
  readonly object: KubeObject;
  readonly phase: SyncPhase;
  readonly wave: number;
  readonly isPrune: boolean;
  readonly hookType: string | undefined;
  result: ResourceResult | undefined;
}

export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync';

const phases: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync'];

/** The tasks of an operation in the order in which they run: groups by phase and wave, pruning first in its group. */
export function taskGroups(
  desired: DesiredState,
  marked: ReadonlyMap<string, KubeObject>,
  sync: SyncOperation,
): readonly (readonly Task[])[] {
  const tasks: Task[] = [];
  for (const [key, live] of marked) {
    if (!desired.objects.has(key) && !isHook(live)) tasks.push(task(live, { isPrune: true, hookType: undefined }));
  }
  for (const { object, hook } of desired.objects.values()) tasks.push(task(object, { isPrune: false, hookType: hook }));
  const { resources } = sync;
  const chosen =
    resources === undefined || resources.length === 0
      ? tasks
      : tasks.filter((each) => each.hookType === undefined && resources.some((wanted) => names(wanted, each.object)));
  return grouped(chosen.filter((each) => phases.includes(each.phase)));
}

function task(object: KubeObject, { isPrune, hookType }: Pick<Task, 'isPrune' | 'hookType'>): Task {
  const phase = (hookType ?? 'Sync') as SyncPhase;
  return { object, phase, wave: waveOf(object), isPrune, hookType, result: undefined };
}

function names(wanted: ResourceReference, object: KubeObject): boolean {
  return (
    wanted.name === object.metadata.name &&
    wanted.kind === object.kind &&
    (wanted.group ?? '') === groupOf(object.apiVersion) &&
    (wanted.namespace === undefined || wanted.namespace === '' || wanted.namespace === object.metadata.namespace)
  );
}

function grouped(tasks: readonly Task[]): Task[][] {
  const sorted = [...tasks].sort(byTurn);
  const groups: Task[][] = [];
  for (const each of sorted) {
    const last = groups.at(-1)?.[0];
    if (last !== undefined && last.phase === each.phase && last.wave === each.wave) groups.at(-1)?.push(each);
    else groups.push([each]);
  }
  return groups;
}

function byTurn(a: Task, b: Task): number {
  return (
    phases.indexOf(a.phase) - phases.indexOf(b.phase) ||
    a.wave - b.wave ||
    Number(b.isPrune) - Number(a.isPrune) ||
    kindRank(a.object) - kindRank(b.object) ||
    (objectKey(a.object) < objectKey(b.object) ? -1 : 1)
  );
}

/** What others stand on comes first in a wave. */
const firstKinds = ['Namespace', 'ServiceAccount', 'Secret', 'ConfigMap', 'StorageClass', 'CustomResourceDefinition'];

function kindRank(object: KubeObject): number {
  const rank = firstKinds.indexOf(object.kind);
  return rank < 0 ? firstKinds.length : rank;
}

/** The line of `syncResult.resources` for a task. */
export function resultOf(
  each: Task,
  outcome: Pick<ResourceResult, 'status' | 'message'> & { hookPhase?: string },
): ResourceResult {
  const { object, hookType } = each;
  const images = imagesOf(object);
  return {
    group: groupOf(object.apiVersion),
    ...(outcome.hookPhase === undefined ? {} : { hookPhase: outcome.hookPhase }),
    ...(hookType === undefined ? {} : { hookType }),
    ...(images.length === 0 ? {} : { images }),
    kind: object.kind,
    message: outcome.message,
    name: object.metadata.name,
    namespace: object.metadata.namespace ?? '',
    status: outcome.status,
    syncPhase: each.phase,
    version: versionOf(object.apiVersion),
  };
}

function imagesOf(object: KubeObject): readonly string[] {
  const spec = object['spec'] as { template?: { spec?: { containers?: readonly { image?: string }[] } } } | undefined;
  const containers = spec?.template?.spec?.containers;
  return Array.isArray(containers) ? containers.flatMap(({ image }) => image ?? []) : [];
}

import { groupOf, type KubeObject } from '../../store/objects.ts';
import { AlreadyExistsError } from '../../store/store.ts';
import { podsFinalizer } from '../../world/workload-script.ts';
import { argocdController } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { applied } from './drift.ts';
import { findObject } from './find-object.ts';
import { resultOf, type Task } from './sync-tasks.ts';

/** Applies or prunes one object and notes the result in the task. */
export function applyTask(context: ArgoContext, application: string, task: Task, options: { prune: boolean }): void {
  if (task.isPrune) {
    prune(context, task, options.prune);
    return;
  }
  const refusal = refusalOf(context, application, task.object);
  task.result =
    refusal === undefined
      ? resultOf(task, { status: 'Synced', hookPhase: 'Running', message: applyObject(context, task) })
      : resultOf(task, { status: 'SyncFailed', hookPhase: 'Failed', message: refusal });
}

function prune(context: ArgoContext, task: Task, isAllowed: boolean): void {
  const [status, message] = isAllowed
    ? (['Pruned', 'pruned'] as const)
    : (['PruneSkipped', 'ignored (requires pruning)'] as const);
  task.result = resultOf(task, { status, message, hookPhase: 'Succeeded' });
  if (isAllowed) removeObject(context, task.object);
}

/** Deletes an object; what runs pods stays until they are gone. */
export function removeObject(context: ArgoContext, object: KubeObject): void {
  const type = context.typeOf(object.apiVersion, object.kind);
  const live = findObject(context, object);
  if (type === undefined || live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  const extra = runsPods.has(live.kind) ? { finalizers: [podsFinalizer] } : {};
  context.store.remove(type, live.metadata.namespace, live.metadata.name, argocdController, extra);
}

const runsPods = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);

function refusalOf(context: ArgoContext, application: string, object: KubeObject): string | undefined {
  const type = context.typeOf(object.apiVersion, object.kind);
  const { name, namespace } = object.metadata;
  if (type === undefined) {
    return `resource mapping not found for name: "${name}" namespace: "${namespace}" from "/dev/shm/0": no matches for kind "${object.kind}" in version "${object.apiVersion}"\nensure CRDs are installed first`;
  }
  return (
    namespaceRefusal(context, type.namespaced ? namespace : undefined, object) ??
    selectorRefusal(object) ??
    context.behaviour.refusal(application, object)
  );
}

function namespaceRefusal(context: ArgoContext, namespace: string | undefined, object: KubeObject): string | undefined {
  if (namespace === undefined) return undefined;
  const found = findObject(context, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  if (found === undefined) return `namespaces "${namespace}" not found`;
  if (found.metadata.deletionTimestamp === undefined || findObject(context, object) !== undefined) return undefined;
  return `${pluralOf(context, object)} "${object.metadata.name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
}

function pluralOf(context: ArgoContext, object: KubeObject): string {
  const type = context.typeOf(object.apiVersion, object.kind);
  const group = groupOf(object.apiVersion);
  return `${type?.plural ?? object.kind}${group === '' ? '' : `.${group}`}`;
}

interface PodOwnerSpec {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
}

/** The one mistake in a workload that the sandbox looks for, because it is the one that was recorded. */
function selectorRefusal(object: KubeObject): string | undefined {
  if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return undefined;
  const { selector = {}, template = {} } = (object['spec'] ?? {}) as PodOwnerSpec;
  const labels = template.metadata?.labels ?? {};
  if (Object.entries(selector.matchLabels ?? {}).every(([label, value]) => labels[label] === value)) return undefined;
  return `${object.kind}.apps "${object.metadata.name}" is invalid: spec.template.metadata.labels: Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``;
}

function applyObject(context: ArgoContext, task: Task): string {
  const { object } = task;
  const type = context.typeOf(object.apiVersion, object.kind);
  if (type === undefined) return '';
  const group = groupOf(object.apiVersion);
  const name = `${type.singular}${group === '' ? '' : `.${group}`}/${object.metadata.name}`;
  const live = findObject(context, object);
  // A hook is a new object every time: the old one goes first.
  if (live !== undefined && task.hookType !== undefined) {
    context.store.remove(type, live.metadata.namespace, live.metadata.name, argocdController);
  } else if (live !== undefined) {
    const { resourceVersion: _any, ...metadata } = applied(object, live).metadata;
    const after = context.store.update(type, { ...applied(object, live), metadata }, argocdController);
    return `${name} ${after === live ? 'unchanged' : 'configured'}`;
  }
  try {
    context.store.create(type, object, argocdController);
  } catch (error) {
    // An old hook that does not go away yet, held by a finalizer.
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  return `${name} created`;
}

import { groupOf, type KubeObject } from '../../store/objects.ts';
import type { Operation } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { isKindPermitted, type Project } from './projects.ts';
import { resultOf, type Task } from './sync-tasks.ts';

/** Finds tasks that cannot work before anything is applied; notes the reason in them. */
export function validateTasks(
  { context, project, operation }: { context: ArgoContext; project: Project; operation: Operation },
  all: readonly Task[],
): boolean {
  const options = operation.sync?.syncOptions ?? [];
  let isValid = true;
  for (const task of all) {
    const message = invalidity(context, project, task) ?? unknownKind(context, task, all, options);
    if (message === undefined) continue;
    isValid = false;
    task.result = resultOf(task, { status: 'SyncFailed', message });
  }
  return isValid;
}

function invalidity(context: ArgoContext, project: Project, { object }: Task): string | undefined {
  if (isKindPermitted(context, project, object)) return undefined;
  return `resource ${groupOf(object.apiVersion)}:${object.kind} is not permitted in project ${project.metadata.name}`;
}

const skipOption = 'SkipDryRunOnMissingResource=true';

function unknownKind(
  context: ArgoContext,
  { object, isPrune }: Task,
  all: readonly Task[],
  options: readonly string[],
): string | undefined {
  if (isPrune || context.typeOf(object.apiVersion, object.kind) !== undefined) return undefined;
  const own = object.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '';
  if (options.includes(skipOption) || own.includes(skipOption)) return undefined;
  const group = groupOf(object.apiVersion);
  if (all.some((other) => defines(other.object, group, object.kind))) return undefined;
  return `The Kubernetes API could not find ${group}/${object.kind} for requested resource ${object.metadata.namespace}/${object.metadata.name}. Make sure the "${object.kind}" CRD is installed on the destination cluster.`;
}

/** A definition in the same operation is enough: Argo CD skips the dry run of its kind then. */
function defines(definition: KubeObject, group: string, kind: string): boolean {
  if (definition.kind !== 'CustomResourceDefinition') return false;
  const spec = definition['spec'] as { group?: string; names?: { kind?: string } } | undefined;
  return spec?.group === group && spec.names?.kind === kind;
}

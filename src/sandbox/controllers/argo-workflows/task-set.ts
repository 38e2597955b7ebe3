import type { ResourceType } from '../../store/objects.ts';
import { timestamp, withMeta } from '../../store/store.ts';
import { isFulfilled } from './node-phases.ts';
import { setNode } from './nodes.ts';
import { type Operation, workflowController } from './operation.ts';
import { completedLabel, type NodeStatus, type WorkflowTaskSet } from './workflow.ts';

/** Takes over what the agent has reported, as it stands, and hands it what is to be done. */
export function reconcileTaskSet(operation: Operation): void {
  const { context, workflow } = operation;
  const type = taskSetType(operation);
  const found: WorkflowTaskSet | undefined = context.store.get(type, context.namespace, workflow.metadata.name);
  const finishedAt = timestamp(context.time.now());
  for (const [id, result] of Object.entries(found?.status?.nodes ?? {})) {
    const node = operation.nodes.get(id);
    // The real controller gives up here, too, with what it has taken over so far.
    if (node === undefined) return;
    const { message: _message, outputs: _outputs, ...rest } = node;
    setNode(operation, {
      ...rest,
      phase: result.phase,
      ...(result.message === undefined || result.message === '' ? {} : { message: result.message }),
      ...(result.outputs === undefined ? {} : { outputs: result.outputs }),
      // Even of a node that still runs.
      finishedAt,
    });
  }
  if (operation.tasks.size > 0) handOver(operation, type);
}

/** Takes away what has ended: first the results, then the tasks, before the Workflow itself is written. */
export function cleanTaskSet(operation: Operation, isOver: boolean): void {
  const { store, namespace } = operation.context;
  const { name } = operation.workflow.metadata;
  const ended = [...operation.nodes.values()].filter((node) => isTask(node) && isFulfilled(node)).map(({ id }) => id);
  if (ended.length === 0) return;
  const type = taskSetType(operation);
  store.change(type, namespace, name, workflowController, (object) => {
    const { status } = object as WorkflowTaskSet;
    return { ...object, status: { ...status, nodes: without(status?.nodes, ended) } };
  });
  store.change(type, namespace, name, workflowController, (object) => {
    const { spec, metadata } = object as WorkflowTaskSet;
    const next = { ...object, spec: { ...spec, tasks: without(spec?.tasks, ended) } };
    return isOver ? withMeta(next, { labels: { ...metadata.labels, [completedLabel]: 'true' } }) : next;
  });
}

/** Is there a task for the agent at or below this node? */
export function needsTaskSet(operation: Operation, node: NodeStatus): boolean {
  if (isTask(node)) return true;
  return (node.children ?? []).some((id) => {
    const child = operation.nodes.get(id);
    return child !== undefined && needsTaskSet(operation, child);
  });
}

const isTask = ({ type }: NodeStatus): boolean => type === 'Plugin' || type === 'HTTP';

function taskSetType({ context }: Operation): ResourceType {
  const type = context.typeOf('argoproj.io/v1alpha1', 'WorkflowTaskSet');
  if (type === undefined) throw new Error('the kind WorkflowTaskSet is not defined');
  return type;
}

function handOver({ context, workflow, tasks }: Operation, type: ResourceType): void {
  const { store, namespace } = context;
  const { name, uid = '' } = workflow.metadata;
  const wanted = Object.fromEntries(tasks);
  const changed = store.change(type, namespace, name, workflowController, (object) => {
    const { spec, metadata } = object as WorkflowTaskSet;
    const next = { ...object, spec: { ...spec, tasks: { ...spec?.tasks, ...wanted } } };
    return withMeta(next, { labels: { ...metadata.labels, [completedLabel]: 'false' } });
  });
  if (changed !== undefined) return;
  const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name, uid };
  const metadata = { name, namespace, ownerReferences: [owner] };
  const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'WorkflowTaskSet' };
  store.create(type, { ...kind, metadata, spec: { tasks: wanted } }, workflowController);
}

function without(fields: Readonly<Record<string, unknown>> | undefined, names: readonly string[]): object {
  const gone = new Set(names);
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !gone.has(name)));
}

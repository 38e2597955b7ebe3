import { withMeta } from '../../store/store.ts';
import { completeSpec } from './complete-spec.ts';
import { dehydrated, hydrated } from './compressed-nodes.ts';
import { announceNodes } from './events.ts';
import { keyOf } from './mutexes.ts';
import { type Operation, workflowController } from './operation.ts';
import { updateProgress } from './progress.ts';
import { cleanTaskSet } from './task-set.ts';
import { completedLabel } from './workflow.ts';

/** Writes what a look has changed: the task set is cleaned first, the Workflow comes last. */
export function persist(operation: Operation): void {
  if (!operation.updated) return;
  const { context, workflow, status, labels, annotations } = operation;
  const isOver = labels[completedLabel] === 'true';
  status.progress = updateProgress(operation.nodes);
  if (isOver && status.synchronization !== undefined) {
    operation.mutexes.release(keyOf(workflow));
    delete status.synchronization;
  }
  cleanTaskSet(operation, isOver);
  const type = context.typeOf('argoproj.io/v1alpha1', 'Workflow');
  if (type === undefined) return;
  const meta = { labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  const completed = withMeta({ ...workflow, spec: completeSpec(workflow.spec) }, meta);
  const kept = dehydrated({ ...completed, spec: workflow.spec }, status, Object.fromEntries(operation.nodes));
  context.store.update(type, { ...completed, status: kept }, workflowController);
  announceNodes(operation, hydrated(workflow.status ?? {}));
}

import { hasFailed, isFulfilled } from './node-phases.ts';
import { findNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import { mayExecute, stoppedMessage } from './shutdown.ts';
import { needsTaskSet, reconcileTaskSet } from './task-set.ts';
import type { ExecuteTemplate } from './template-call.ts';
import { localScope } from './template-scope.ts';
import type { NodeStatus } from './workflow.ts';
import { markWorkflow } from './workflow-phase.ts';

/** Runs the exit handler once the entry point has ended, and then gives the Workflow its last phase. */
export function concludeWorkflow(operation: Operation, node: NodeStatus, execute: ExecuteTemplate): void {
  const phase = node.phase === 'Failed' || node.phase === 'Error' ? node.phase : 'Succeeded';
  operation.variables.set('workflow.status', phase);
  operation.variables.set('workflow.failures', JSON.stringify(failures(operation)));
  const exit = runExitHandler(operation, execute);
  if (exit === 'under way') return;
  if (phase === 'Succeeded' && exit !== undefined && hasFailed(exit)) {
    markWorkflow(operation, exit.phase, exit.message);
    return;
  }
  const stopped = hasFailed(node) ? stoppedMessage(operation) : undefined;
  markWorkflow(operation, phase, phase === 'Succeeded' ? '' : (stopped ?? node.message));
}

function runExitHandler(operation: Operation, execute: ExecuteTemplate): NodeStatus | 'under way' | undefined {
  const { spec, workflow } = operation;
  if (spec.onExit === undefined || spec.onExit === '') return undefined;
  const nodeName = `${workflow.metadata.name}.onExit`;
  if (findNode(operation, nodeName) === undefined && !mayExecute(operation, true)) return undefined;
  const node = execute(operation, {
    nodeName,
    caller: { template: spec.onExit },
    scope: localScope(operation),
    args: spec.arguments ?? {},
    flag: { hooked: true },
    isExitHandler: true,
  });
  if (needsTaskSet(operation, operation.nodes.get(node.id) ?? node)) reconcileTaskSet(operation);
  // As it was before the results were taken over.
  return isFulfilled(node) ? node : 'under way';
}

function failures({ nodes }: Operation): readonly object[] {
  return [...nodes.values()]
    .filter(hasFailed)
    .map(({ displayName, message, templateName, templateRef, phase, finishedAt }) => ({
      displayName,
      message: message ?? '',
      templateName: templateRef?.template ?? templateName,
      phase,
      finishedAt,
    }));
}

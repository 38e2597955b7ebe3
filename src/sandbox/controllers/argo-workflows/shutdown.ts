import { isFulfilled } from './node-phases.ts';
import { isOfExitHandler, markNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import type { NodeStatus } from './workflow.ts';

/** Is somebody stopping the Workflow? Then what its nodes will say. */
export function stoppedMessage({ spec }: Operation): string | undefined {
  return spec.shutdown === undefined || spec.shutdown === '' ? undefined : `Stopped with strategy '${spec.shutdown}'`;
}

/** May a node still be executed? `Stop` lets the exit handler run, `Terminate` nothing. */
export function mayExecute({ spec }: Operation, isExitHandler: boolean): boolean {
  if (spec.shutdown === 'Terminate') return false;
  return spec.shutdown === 'Stop' ? isExitHandler : true;
}

export function isPastDeadline({ context, spec, status }: Operation): boolean {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined || typeof status.startedAt !== 'string') return false;
  return context.time.now() > Date.parse(status.startedAt) + activeDeadlineSeconds * 1000;
}

/** Fails the nodes that no Pod stands for: all of them when the Workflow is stopped, the Pending ones after its deadline. */
export function failAfterShutdownOrDeadline(operation: Operation): void {
  const message = stoppedMessage(operation);
  const isLate = isPastDeadline(operation);
  for (const node of message === undefined && !isLate ? [] : [...operation.nodes.values()]) {
    if (isFulfilled(node)) continue;
    const isExit = isOfExitHandler(operation, node);
    if (message !== undefined && isStopped(operation, node, isExit)) markNode(operation, node, 'Failed', message);
    else if (isLate && !isExit && isIdle(node)) markNode(operation, node, 'Failed', 'Step exceeded its deadline');
  }
}

function isStopped(operation: Operation, node: NodeStatus, isExit: boolean): boolean {
  return !mayExecute(operation, isExit) && standsAlone(operation, node);
}

function isIdle(node: NodeStatus): boolean {
  return node.phase === 'Pending' || isGate(node);
}

function isGate({ type, phase }: NodeStatus): boolean {
  return type === 'Suspend' && phase === 'Running';
}

function standsAlone({ nodes }: Operation, node: NodeStatus): boolean {
  if (isGate(node) || node.type === 'Plugin') return true;
  if (node.type !== 'Retry') return false;
  return (node.children ?? []).every((id) => {
    const child = nodes.get(id);
    return child === undefined || isFulfilled(child);
  });
}

import type { Dag } from './dag.ts';
import { nodeId } from './node-id.ts';
import { hasFailed, isDone, isFulfilled } from './node-phases.ts';
import type { Operation } from './operation.ts';
import { lastAttempt } from './retry.ts';
import type { NodePhase, NodeStatus } from './workflow.ts';

/**
 * The phase of a DAG: Running while any node below it is under way, else what its targets say.
 * A target that did not run inherits the phase of those before it, and failures win.
 */
export function assessDag(operation: Operation, dag: Dag): NodePhase {
  const { nodes, workflow } = operation;
  const targets = new Map<string, NodePhase | undefined>();
  for (const target of dag.targets) targets.set(nodeId(workflow.metadata.name, dag.nodeName(target)), undefined);
  const seen = new Set<string>();
  const queue: (readonly [string, NodePhase])[] = [];
  const visit = (ids: readonly string[], phase: NodePhase): void => {
    for (const id of ids) {
      if (seen.has(`${id} ${phase}`)) continue;
      seen.add(`${id} ${phase}`);
      queue.push([id, phase]);
    }
  };
  visit(nodes.get(dag.boundary.id)?.children ?? [], 'Succeeded');
  for (let at = 0; at < queue.length; at++) {
    const [id, inherited] = queue[at] as readonly [string, NodePhase];
    const node = nodes.get(id);
    if (node === undefined || !isFulfilled(node)) return 'Running';
    const phase = isDone(node) ? node.phase : inherited;
    if (targets.has(id) && !isFailure(targets.get(id))) targets.set(id, phase);
    visit(following(operation, node), phase);
  }
  return verdict([...targets.values()], dag.isFailFast);
}

function following(operation: Operation, node: NodeStatus): readonly string[] {
  if (node.type !== 'Retry') return node.children ?? [];
  // Its attempts are summed up in itself.
  return lastAttempt(operation, node)?.children ?? [];
}

function verdict(phases: readonly (NodePhase | undefined)[], isFailFast: boolean): NodePhase {
  let result: NodePhase = 'Succeeded';
  for (const phase of phases) {
    if (phase === undefined) {
      result = 'Running';
      if (!isFailFast) break;
    } else if (isFailure(phase)) {
      result = phase;
      if (isFailFast) break;
    }
  }
  return result;
}

function isFailure(phase: NodePhase | undefined): boolean {
  return phase !== undefined && hasFailed({ phase });
}

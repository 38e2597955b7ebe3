import { hasFailed, isFulfilled } from './node-phases.ts';
import type { NodeStatus } from './workflow.ts';

/** Fills in how far each node and the whole have come. */
export function updateProgress(nodes: Map<string, NodeStatus>): string {
  let whole: Progress = [0, 0];
  for (const node of [...nodes.values()]) {
    if (!doesWork(node)) continue;
    const own: Progress = isFulfilled(node) && !hasFailed(node) ? [1, 1] : [0, 1];
    nodes.set(node.id, { ...node, progress: text(own) });
    whole = sum(whole, own);
  }
  for (const node of [...nodes.values()]) {
    if (doesWork(node)) continue;
    const below = sumBelow(nodes, node);
    if (below[1] > 0) nodes.set(node.id, { ...node, progress: text(below) });
  }
  return text(whole);
}

type Progress = readonly [number, number];

const text = ([done, all]: Progress): string => `${done}/${all}`;
const sum = ([a, b]: Progress, [c, d]: Progress): Progress => [a + c, b + d];

function doesWork({ type }: NodeStatus): boolean {
  return type === 'Pod' || type === 'Plugin' || type === 'HTTP' || type === 'Suspend';
}

function sumBelow(nodes: ReadonlyMap<string, NodeStatus>, node: NodeStatus): Progress {
  const seen = new Set<string>();
  const stack = [...(node.children ?? [])];
  let total: Progress = [0, 0];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const child = seen.has(id) ? undefined : nodes.get(id);
    seen.add(id);
    if (child === undefined) continue;
    if (doesWork(child)) total = sum(total, child.phase === 'Succeeded' ? [1, 1] : [0, 1]);
    stack.push(...(child.children ?? []));
  }
  return total;
}

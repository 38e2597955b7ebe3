import { judgeNodes } from '../../core/preflight/cluster-nodes.ts';
import type { Check } from '../check.ts';

/** R3.4: nodes are Ready, pods can be scheduled. */
export const nodes: Check = {
  id: 'nodes',
  title: 'Nodes',
  area: 'cluster',
  deadlineMs: 20_000,
  run: async ({ cluster }) => judgeNodes(await cluster.nodes()),
};

import { freeOf, judgeCapacity, usualWants } from '../../core/preflight/capacity.ts';
import { quantity } from '../../core/preflight/quantity.ts';
import type { Check } from '../check.ts';

/** R3.4: what nodes have left; too little is a warning. */
export const capacity: Check = {
  id: 'capacity',
  title: 'Capacity',
  area: 'cluster',
  deadlineMs: 30_000,
  async run({ cluster, platform, section }) {
    const usual = usualWants(platform.apps.size);
    const wanted = {
      ...usual,
      cpu: section.capacity?.cpu ?? usual.cpu,
      memoryBytes: quantity(section.capacity?.memory) ?? usual.memoryBytes,
    };
    const [nodes, pods] = await Promise.all([cluster.nodes(), cluster.pods()]);
    return judgeCapacity(freeOf(nodes, pods), wanted);
  },
};

import { isWorker } from '../../core/preflight/cluster-nodes.ts';
import { passed, warned } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';

/** R3.4: three workers, so that one may be lost; fewer is a warning. */
export const workers: Check = {
  id: 'workers',
  title: 'Workers',
  area: 'cluster',
  deadlineMs: 20_000,
  async run({ cluster }) {
    const count = (await cluster.nodes()).filter(isWorker).length;
    if (count >= wanted) return [passed('workers', `${count}, at least ${wanted} are wanted`)];
    return [
      warned(
        'workers',
        `${count}, and at least ${wanted} are wanted`,
        'Add workers: with fewer, storage and databases that keep three copies do not become Healthy, and a lost node takes the platform along.',
      ),
    ];
  },
};

const wanted = 3;

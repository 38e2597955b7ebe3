import { judgeComparison } from '../../core/preflight/cluster-snapshot.ts';
import { passed, warned } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';

/** R3.5: names everything that is in the cluster now, and compares it with an earlier snapshot when there is one. */
export const snapshot: Check = {
  id: 'snapshot',
  title: 'Snapshot',
  area: 'leftovers',
  deadlineMs: 90_000,
  async run({ cluster, before }) {
    const now = await cluster.snapshot();
    const { objects, unread } = now;
    const taken = `${objects.length} objects are named in the report, for the comparison after a teardown`;
    const whole =
      unread.length === 0
        ? passed('snapshot', taken)
        : warned(
            'snapshot',
            `${taken}, but ${unread.join(', ')} could not be read`,
            'Take it with an administrator’s kubeconfig if these matter.',
          );
    return before === undefined ? [whole] : [whole, ...judgeComparison(before, now)];
  },
};

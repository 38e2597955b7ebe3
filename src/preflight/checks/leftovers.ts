import { judgeLeftovers } from '../../core/preflight/known-leftovers.ts';
import type { Check } from '../check.ts';

/** R3.4: for a clean install nothing of an earlier one is there. */
export const leftovers: Check = {
  id: 'leftovers',
  title: 'Leftovers',
  area: 'leftovers',
  deadlineMs: 30_000,
  async run({ cluster, platform, purpose }) {
    const [namespaces, workloads, bootstrappedFor] = await Promise.all([
      cluster.namespaces(),
      cluster.workloads(),
      cluster.bootstrappedFor(),
    ]);
    const { argocdNamespace, workflowsNamespace } = platform.environment;
    const rules = {
      platform: platform.name,
      argocdNamespace,
      workflowsNamespace,
      apps: [...platform.apps.keys()],
      isStrict: purpose === 'report',
    };
    return judgeLeftovers({ namespaces, workloads, bootstrappedFor }, rules);
  },
};

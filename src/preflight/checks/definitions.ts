import { judgeDefinitions } from '../../core/preflight/judge-definitions.ts';
import type { Check } from '../check.ts';

/** R3.4: definitions that are there already are listed. */
export const definitions: Check = {
  id: 'definitions',
  title: 'Definitions',
  area: 'leftovers',
  deadlineMs: 30_000,
  async run({ cluster }) {
    const [names, workloads, ours] = await Promise.all([
      cluster.definitions(),
      cluster.workloads(),
      cluster.bootstrappedFor(),
    ]);
    const hasArgo = workloads.some(({ labels }) => labels['app.kubernetes.io/part-of'] === 'argocd');
    return judgeDefinitions(names, hasArgo || ours !== undefined);
  },
};

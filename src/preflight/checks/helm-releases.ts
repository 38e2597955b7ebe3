import { bootstrapHomes } from '../../core/preflight/bootstrap-homes.ts';
import { judgeReleases } from '../../core/preflight/judge-releases.ts';
import type { Check } from '../check.ts';

/** R3.4: Helm remembers nothing of an earlier installation where bootstrap will install. Only labels of its Secrets are read. */
export const helmReleases: Check = {
  id: 'helm-releases',
  title: 'Helm releases',
  area: 'leftovers',
  deadlineMs: 30_000,
  async run({ cluster, platform, purpose }) {
    const [releases, workloads, bootstrappedFor] = await Promise.all([
      cluster.releases(),
      cluster.workloads(),
      cluster.bootstrappedFor(),
    ]);
    return judgeReleases(releases, workloads, {
      isStrict: purpose === 'report',
      homes: bootstrapHomes(platform.environment),
      isOurs: bootstrappedFor === platform.name,
    });
  },
};

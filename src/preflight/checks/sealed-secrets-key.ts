import { judgeSealedSecrets } from '../../core/preflight/judge-sealed-secrets.ts';
import type { Check } from '../check.ts';

/** R3.4: no sealed-secrets controller is left, unless its key is to be kept. Only names of keys are read. */
export const sealedSecretsKey: Check = {
  id: 'sealed-secrets-key',
  title: 'Sealed-secrets key',
  area: 'leftovers',
  deadlineMs: 30_000,
  async run({ cluster, platform, purpose, section }) {
    const [workloads, keys, bootstrappedFor] = await Promise.all([
      cluster.workloads(),
      cluster.sealingKeys(),
      cluster.bootstrappedFor(),
    ]);
    const isOurs = bootstrappedFor === platform.name;
    const rules = {
      isStrict: purpose === 'report',
      keepsKey: section.keepSealedSecretsKey === true,
      home: 'sealed-secrets',
    };
    return judgeSealedSecrets({ workloads, keys, isOurs }, rules);
  },
};

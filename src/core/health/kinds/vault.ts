import { because, conditionOf, count, type Fields, fields, text } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/**
 * vault.banzaicloud.com/Vault of the Bank-Vaults operator: a leader, and the condition Healthy.
 * HashiCorp's chart has no such object; there `vaultHealth` judges the answer of the health endpoint.
 */
export function vaultVerdict(object: Fields): Verdict {
  const status = fields(object['status']);
  const leader = text(status['leader']);
  const healthy = conditionOf(object, 'Healthy');
  if (healthy === undefined) return { status: 'progressing', message: 'no status yet' };
  // The operator says False both while it unseals and when it cannot: only time tells them apart.
  if (!healthy.isTrue)
    return { status: 'progressing', message: because('not healthy', healthy.message || 'no leader') };
  if (leader === '') return { status: 'progressing', message: 'no leader: not initialised, or sealed' };
  const size = count(fields(object['spec'])['size']);
  const nodes = Array.isArray(status['nodes']) ? status['nodes'].length : undefined;
  if (size !== undefined && nodes !== undefined && nodes < size) {
    return { status: 'progressing', message: `${leader} leads, but only ${nodes} of ${size} nodes are there` };
  }
  return { status: 'healthy', message: `unsealed, ${leader} leads` };
}

import type { Verdict } from './verdict.ts';

/**
 * Judges the status code of Vault's `/v1/sys/health`: only an initialised, unsealed, active Vault is healthy (R5.7).
 * Sealed and uninitialised wait, because an unsealer or a person may be on the way; when time runs out the sentence is the reason.
 */
export function vaultHealth(status: number): Verdict {
  return answers.get(status) ?? { status: 'unknown', message: `Vault's health endpoint answered ${status}` };
}

const answers: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [200, { status: 'healthy', message: 'initialised, unsealed and active' }],
  [
    429,
    {
      status: 'progressing',
      message: 'an unsealed standby answered, which does not prove that a Vault is active; probe the active service',
    },
  ],
  [
    472,
    {
      status: 'progressing',
      message: 'a disaster-recovery secondary answered, which serves no requests; probe the primary',
    },
  ],
  [
    473,
    {
      status: 'progressing',
      message: 'a performance standby answered, which does not prove that a Vault is active; probe the active service',
    },
  ],
  [501, { status: 'progressing', message: 'Vault is not initialised; run `vault operator init` and keep its keys' }],
  [
    503,
    {
      status: 'progressing',
      message: 'Vault is sealed; run `vault operator unseal` on each pod, or configure auto-unseal',
    },
  ],
  [530, { status: 'degraded', message: 'this Vault node was removed from its cluster' }],
]);

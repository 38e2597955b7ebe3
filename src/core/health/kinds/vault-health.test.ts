import { expect, it } from 'vitest';
import { vaultHealth } from './vault-health.ts';

it('holds only an initialised, unsealed, active Vault to be healthy (R5.7)', () => {
  expect(vaultHealth(200).status).toBe('healthy');
  for (const status of [429, 472, 473, 501, 503]) expect(vaultHealth(status).status).toBe('progressing');
  expect(vaultHealth(530).status).toBe('degraded');
  for (const status of [0, 204, 404, 500, Number.NaN]) expect(vaultHealth(status).status).toBe('unknown');
});

it('says that Vault is sealed and how to unseal it', () => {
  expect(vaultHealth(503).message).toMatchInlineSnapshot(
    `"Vault is sealed; run \`vault operator unseal\` on each pod, or configure auto-unseal"`,
  );
  expect(vaultHealth(501).message).toContain('vault operator init');
  expect(vaultHealth(502).message).toContain('502');
});

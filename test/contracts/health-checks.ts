import { readdirSync, readFileSync } from 'node:fs';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';

const folder = new URL('../../src/core/health/lua/', import.meta.url);
const settings = '/api/v1/namespaces/argocd/configmaps/argocd-cm';

/** The kinds for which we give Argo CD a script: `ceph.rook.io/CephCluster`. */
export function scriptedKinds(): readonly string[] {
  return readdirSync(folder).map((name) => name.replace('_', '/'));
}

/**
 * Puts our scripts into argocd-cm unless they are there. Once, before the cases: after a change of it Argo CD is blind for a
 * while, and cases run beside each other.
 */
export async function installHealthChecks(client: KubeClient): Promise<void> {
  const scripts = Object.fromEntries(
    readdirSync(folder).map((name) => [
      `resource.customizations.health.${name}`,
      readFileSync(new URL(`${name}/health.lua`, folder), 'utf8'),
    ]),
  );
  const found = await client.get<{ data?: Record<string, string> }>(settings);
  if (Object.entries(scripts).every(([key, script]) => found?.data?.[key] === script)) return;
  await client.mergePatch(settings, { data: scripts });
}

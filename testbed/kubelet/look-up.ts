import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { LookUp } from './resolve-env.ts';

/** Reads ConfigMaps and Secrets from the cluster. */
export function lookUpIn(client: KubeClient): LookUp {
  return async (kind, namespace, name) => {
    const found = await client.get<{ data?: Readonly<Record<string, string>> }>(
      `/api/v1/namespaces/${namespace}/${kind}s/${name}`,
    );
    if (found === undefined || kind === 'configmap') return found && (found.data ?? {});
    const entries = Object.entries(found.data ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  };
}

import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { annotations, type VaultWord } from './annotations.ts';
import { readySincePath } from './follow-pods.ts';
import type { Pod } from './pod-answers.ts';

/**
 * App → since when it itself says that it is ready, in milliseconds since the epoch: a Vault is unsealed some time after
 * Argo CD calls it Healthy, and whoever asks it must wait until then.
 */
export async function ownWords(client: KubeClient): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.list<Pod>('/api/v1/pods');
  const since = new Map<string, number>();
  for (const pod of items) {
    const words = pod.metadata.annotations?.[annotations.vault];
    if (words === undefined) continue;
    const all = JSON.parse(words) as VaultWord[];
    const before = all.slice(
      0,
      all.findIndex(({ state }) => state === 'active'),
    );
    const saysNoForMs = before.reduce((sum, { forMs = 0 }) => sum + forMs, 0);
    // Every published app has a namespace of its own name.
    since.set(pod.metadata.namespace ?? '', (await readySince(client, pod)) + saysNoForMs);
  }
  return since;
}

/** As the pod itself counts it: Kubernetes writes down the whole second, up to one too early. */
async function readySince(client: KubeClient, { metadata: { namespace, name } }: Pod): Promise<number> {
  const { status, body } = await client.raw(
    'GET',
    `/api/v1/namespaces/${namespace}/pods/${name}:8200/proxy${readySincePath}`,
  );
  if (status !== 200) throw new Error(`${namespace}/${name} does not say since when it is ready: ${status} ${body}`);
  return Number(body);
}

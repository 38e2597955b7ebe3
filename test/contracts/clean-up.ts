import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] };
}

/** What every case puts at the end of its names: also what a run left that was killed. */
export const caseMark: RegExp = /-c[0-9a-f]{6}(\b|$)/;

const argo = '/apis/argoproj.io/v1alpha1';

/** What bears the mark goes, parents before children so that none comes back; nobody waits for it. */
export async function cleanUp(client: KubeClient, mark: string | RegExp): Promise<void> {
  await remove(client, { list: `${argo}/workflows`, mark });
  await remove(client, { list: `${argo}/clusterworkflowtemplates`, mark });
  await remove(client, { list: `${argo}/applicationsets`, mark });
  // Twice: a parent may have made a child while its siblings were listed.
  for (let round = 0; round < 2; round++) await remove(client, { list: `${argo}/applications`, mark, freed: true });
  await remove(client, { list: `${argo}/appprojects`, mark });
  await remove(client, { list: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', mark });
  await remove(client, { list: '/apis/rbac.authorization.k8s.io/v1/clusterroles', mark });
  await remove(client, { list: '/api/v1/configmaps', mark: /^(stuck|late)$/, freed: true, within: mark });
  await remove(client, { list: '/api/v1/namespaces', mark });
}

interface Removal {
  readonly list: string;
  readonly mark: string | RegExp;
  /** Nothing may hold it back. */
  readonly freed?: boolean;
  /** Only in namespaces with this mark. */
  readonly within?: string | RegExp;
}

async function remove(client: KubeClient, { list, mark, freed = false, within = '' }: Removal): Promise<void> {
  const { items } = await client.list<Named>(list);
  const marked = items.filter(({ metadata }) => has(metadata.name, mark) && has(metadata.namespace ?? '', within));
  await Promise.all(
    marked.map(async ({ metadata: { name, namespace, finalizers = [] } }) => {
      const path = namespace === undefined ? `${list}/${name}` : inNamespace(list, namespace, name);
      await client.delete(path);
      if (freed && finalizers.length > 0) await letGo(client, path);
    }),
  );
}

function has(text: string, mark: string | RegExp): boolean {
  return typeof mark === 'string' ? text.includes(mark) : mark.test(text);
}

async function letGo(client: KubeClient, path: string): Promise<void> {
  try {
    await client.mergePatch(path, { metadata: { finalizers: [] } });
  } catch (error) {
    // Gone already, which is what was wanted.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

function inNamespace(list: string, namespace: string, name: string): string {
  const cut = list.lastIndexOf('/');
  return `${list.slice(0, cut)}/namespaces/${namespace}${list.slice(cut)}/${name}`;
}

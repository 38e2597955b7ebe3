import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { ContractCluster } from './cluster.ts';

/** An object that is Healthy as soon as it is there, because nobody checks it. */
export function configMap(
  name: string,
  more: { value?: string; annotations?: Record<string, string>; finalizers?: string[] } = {},
): KubeObject {
  const { value = '1', ...metadata } = more;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { value } };
}

/** A workload of one pod; one that wants a node that is not there never becomes ready. */
export function deployment(name: string, { starts = true } = {}): KubeObject {
  const labels = { app: name };
  const nowhere = starts ? {} : { nodeSelector: { 'example.com/nowhere': 'true' } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: `example.com/${name}:1` }], ...nowhere },
      },
    },
  };
}

/** The definition of a kind that takes every field, with a status of its own. */
export function definition(group: string, kind: string, version = 'v1'): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {} },
        },
      ],
    },
  };
}

/** Has a kind served whose definition other cases may share. */
export async function serve(cluster: ContractCluster, { apiVersion, kind }: KubeKind): Promise<void> {
  const [group = '', version = ''] = apiVersion.split('/');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await cluster.client.create(path, definition(group, kind, version)).catch(unlessThere);
  await cluster.eventually(`${kind} is served`, async () => {
    const served = await cluster.client.get(
      `/apis/${apiVersion}/namespaces/${cluster.namespace}/${kind.toLowerCase()}s`,
    );
    return served !== undefined;
  });
}

type KubeKind = Pick<KubeObject, 'apiVersion' | 'kind'>;

function unlessThere(error: unknown): void {
  if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
}

export const configMapPath = ({ namespace }: Pick<ContractCluster, 'namespace'>, name = ''): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name === '' ? '' : `/${name}`}`;

export const deploymentPath = ({ namespace }: Pick<ContractCluster, 'namespace'>, name: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;

/** Is there a ConfigMap of this name in the case's namespace? */
export async function hasConfigMap(cluster: ContractCluster, name: string): Promise<boolean> {
  return (await cluster.client.get(configMapPath(cluster, name))) !== undefined;
}

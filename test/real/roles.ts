import { join } from 'node:path';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { writeKubeconfig } from '../../testbed/cluster/kubeconfigs.ts';
import type { Testbed } from '../../testbed/testbed.ts';
import { type RoleName, type RoleObject, roleNames, roleObjects } from './rights.ts';

/** `kubectl apply -f deploy/rbac/`, and a kubeconfig with a real token for each of its ServiceAccounts. */
export async function giveRoles(client: KubeClient, testbed: Testbed): Promise<void> {
  for (const name of roleNames) {
    for (const object of roleObjects(name)) await applyRole(client, object);
    const answer = await client.create<{ status: { token: string } }>(
      `/api/v1/namespaces/argocd/serviceaccounts/tiphys-${name}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } },
    );
    writeKubeconfig(kubeconfigFor(testbed, name), testbed, { token: answer.status.token });
  }
}

export function kubeconfigFor({ folder }: Testbed, name: RoleName): string {
  return join(folder, `tiphys-${name}.kubeconfig`);
}

/** How the API server and its log call who has this role. */
export function userOf(name: RoleName): string {
  return `system:serviceaccount:argocd:tiphys-${name}`;
}

/** Makes the object as it is given, whatever it was before. */
export async function applyRole(client: KubeClient, object: RoleObject): Promise<void> {
  const { name, namespace } = object.metadata;
  const api = object.kind === 'ServiceAccount' ? '/api/v1' : '/apis/rbac.authorization.k8s.io/v1';
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  await client.apply(`${api}${within}/${object.kind.toLowerCase()}s/${name}`, object, { force: true });
}

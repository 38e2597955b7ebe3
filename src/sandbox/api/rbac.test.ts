import { describe, expect, it } from 'vitest';
import { administrator, serviceAccountIdentity } from './identities.ts';
import { application, applications, configMaps, testCluster } from './test-cluster.fixture.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';

describe('who may do what', () => {
  it('grants exactly what a Role says, in its namespace', async () => {
    const { admin, robot } = await withRole([
      { verbs: ['get', 'patch'], apiGroups: ['argoproj.io'], resources: ['applications'] },
    ]);
    await admin('POST', applications, application('web'));
    expect((await robot('GET', `${applications}/web`)).status).toBe(200);
    expect((await robot('PATCH', `${applications}/web`, { spec: { project: 'x' } })).status).toBe(200);
    expect((await robot('GET', applications)).status).toBe(403);
    expect((await robot('DELETE', `${applications}/web`)).status).toBe(403);
    expect((await robot('GET', configMaps)).status).toBe(403);
    expect((await robot('GET', '/apis/argoproj.io/v1alpha1/namespaces/other/applications/web')).status).toBe(403);
  });

  it('tells subresources and names apart', async () => {
    const { robot } = await withRole([
      { verbs: ['get'], apiGroups: [''], resources: ['services/proxy'] },
      { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] },
    ]);
    expect((await robot('GET', '/api/v1/namespaces/argocd/services/vault/proxy/')).status).toBe(404);
    expect((await robot('GET', '/api/v1/namespaces/argocd/services/vault')).status).toBe(403);
    expect((await robot('GET', `${configMaps}/mine`)).status).toBe(404);
    expect((await robot('GET', `${configMaps}/other`)).status).toBe(403);
  });

  it('knows the role that every cluster has', async () => {
    const { admin, robot } = await withRole([]);
    await admin('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', name: 'system:serviceaccounts:argocd' }],
    });
    expect((await robot('GET', '/api/v1/namespaces')).status).toBe(200);
  });

  it('lets an administrator act as somebody else, and nobody else', async () => {
    const { admin, robot } = await withRole([]);
    expect((await admin('GET', configMaps, undefined, { 'impersonate-user': 'somebody' })).status).toBe(403);
    const refused = await robot('GET', configMaps, undefined, { 'impersonate-user': 'kubernetes-admin' });
    expect(refused.body.message).toContain('cannot impersonate resource "users"');
  });
});

async function withRole(rules: readonly object[]) {
  const identities = new Map([
    ['admin', administrator],
    ['robot', serviceAccountIdentity('argocd', 'robot')],
  ]);
  const { send } = testCluster({ identities });
  const as =
    (token: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, body, { ...headers, authorization: `Bearer ${token}` });
  const admin = as('admin');
  await admin('POST', `${rbac}/namespaces/argocd/roles`, { metadata: { name: 'robot' }, rules });
  await admin('POST', `${rbac}/namespaces/argocd/rolebindings`, {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'argocd' }],
  });
  return { admin, robot: as('robot') };
}

import type { ContractCluster } from './cluster.ts';

type Room = Pick<ContractCluster, 'client' | 'world' | 'namespace' | 'project' | 'signal'>;

/** What every case finds: its namespace, its AppProject that allows everything, and a watch that has begun. */
export async function furnish({ client, world, namespace, project, signal }: Room): Promise<void> {
  await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(projectsPath, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: project, namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      sourceNamespaces: ['team-*'],
    },
  });
  await world.argocd.observe(signal);
}

export const projectsPath = '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects';

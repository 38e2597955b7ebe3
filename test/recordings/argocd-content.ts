import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { PathContent } from '../../src/sandbox/world/git.ts';

/** What Git held when the recordings were made. */
export function recordedContent(path: string): PathContent | undefined {
  return content[path];
}

const foreign = { finalizers: ['example.com/never-removed'] };

const content: Readonly<Record<string, PathContent>> = {
  one: [configMap('one'), deployment('one')],
  two: [configMap('two')],
  slow: [deployment('slow', { template: { spec: { nodeSelector: { nowhere: 'true' } } } })],
  waves: [configMap('w-a', { wave: '-1' }), deployment('w-b'), configMap('w-c', { wave: '1' })],
  wavestuck: [deployment('ws-a'), configMap('ws-b', { wave: '1' })],
  bad: [configMap('bad-ok'), deployment('bad', { selector: { matchLabels: { app: 'other' } } })],
  nocrd: [{ apiVersion: 'nowhere.example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: {} }],
  broken: {
    broken:
      'rpc error: code = FailedPrecondition desc = Failed to unmarshal "x.yaml": failed to unmarshal manifest: error converting YAML to JSON: yaml: line 2: did not find expected node content',
  },
  cluster: [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'rec-role' } }],
  empty: [],
  drift: [configMap('drift')],
  prune: [configMap('p-a'), configMap('p-b')],
  nsmissing: [configMap('nsm')],
  parent: [child('rec-k1', 'k1'), child('rec-k2', 'k2'), child('rec-k3', 'k3')],
  k1: [configMap('k1')],
  k2: [configMap('k2')],
  k3: [configMap('k3')],
  fin: [{ ...configMap('f'), metadata: { name: 'f', ...foreign } }, deployment('f-dep')],
  presync: [hook('pre', 'PreSync'), configMap('after-pre')],
  prestuck: [hook('prestuck', 'PreSync'), configMap('never')],
  postsync: [deployment('before-post'), hook('post', 'PostSync')],
  ceph: [{ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata: { name: 'ceph' }, spec: {} }],
  deg: [deployment('deg')],
  sus: [deployment('sus', { paused: true })],
};

export function configMap(name: string, { wave, value = '1' }: { wave?: string; value?: string } = {}): KubeObject {
  const annotations = wave === undefined ? {} : { annotations: { 'argocd.argoproj.io/sync-wave': wave } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...annotations }, data: { value } };
}

function deployment(name: string, more: { template?: { spec?: object }; [field: string]: unknown } = {}): KubeObject {
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    ...more,
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: `fake/${name}:1` }], ...more.template?.spec },
    },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

function hook(name: string, when: string): KubeObject {
  const template = { spec: { containers: [{ name: 'main', image: `fake/${name}:1` }] } };
  const annotations = { 'argocd.argoproj.io/hook': when };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, annotations }, spec: { template } };
}

function child(name: string, path: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: 'file:///srv/git/platform', path, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'rec' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

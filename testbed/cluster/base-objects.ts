import { syncAndWaitTemplate } from '../../src/core/workflow/workflow-templates.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Testbed } from '../testbed.ts';

/** What is in the cluster before any platform: nodes, rights of the parts, a storage class; unless it is an empty one, the settings of Argo CD and Argo Workflows. */
export function baseObjects(testbed: Testbed): KubeObject[] {
  return testbed.empty ? clusterObjects : [...clusterObjects, ...argoObjects(testbed)];
}

function argoObjects(testbed: Testbed): KubeObject[] {
  return [
    namespace('argocd'),
    namespace('argo'),
    ...['argocd', 'workflows'].map(administrator),
    ...[
      'argocd-cm',
      'argocd-rbac-cm',
      'argocd-cmd-params-cm',
      'argocd-ssh-known-hosts-cm',
      'argocd-tls-certs-cm',
      'argocd-gpg-keys-cm',
    ].map(argocdSettings),
    argocdSecret,
    workflowSettings(testbed),
  ];
}

/** Every Argo CD has it; it allows everything. */
export const defaultProject: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default', namespace: 'argocd' },
  spec: {
    sourceRepos: ['*'],
    sourceNamespaces: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
};

/** What charts/tiphys brings to a cluster that has Argo Workflows. */
export const stepTemplates: KubeObject = syncAndWaitTemplate({ kind: 'agent' }) as unknown as KubeObject;

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function node(name: string): KubeObject {
  const room = { cpu: '64', memory: '256Gi', pods: '2000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: { allocatable: room, capacity: room },
  };
}

/** As their charts would give them: Argo CD deploys anything, kwok plays every kubelet. */
function administrator(name: string): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `testbed-${name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `system:${name}` }],
  };
}

const storageClass: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};

const clusterObjects: KubeObject[] = [...['node-1', 'node-2', 'node-3'].map(node), administrator('kwok'), storageClass];

const partOfArgocd = { 'app.kubernetes.io/part-of': 'argocd' };

function argocdSettings(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'argocd', labels: partOfArgocd } };
}

/** Nobody can sign in with it: the server runs without accounts. */
const argocdSecret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'argocd-secret', namespace: 'argocd', labels: partOfArgocd },
  stringData: { 'server.secretkey': 'only-for-a-testbed-on-loopback' },
};

/** Agents are ours, not pods of the controller's. */
function workflowSettings({ ports }: Testbed): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'workflow-controller-configmap', namespace: 'argo' },
    data: {
      disableAgentPodCreation: 'true',
      metricsConfig: `{ enabled: true, port: ${ports.workflowsMetrics}, secure: false }`,
    },
  };
}

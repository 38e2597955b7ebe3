import { appProjectDefinition, applicationDefinition } from '../../src/sandbox/api/argo-definitions.ts';
import { createApi } from '../../src/sandbox/api/create-api.ts';
import { installCrd } from '../../src/sandbox/api/custom-resources.ts';
import { administrator, serviceAccountIdentity } from '../../src/sandbox/api/identities.ts';
import { startGarbageCollector } from '../../src/sandbox/controllers/garbage-collector.ts';
import { startNamespaces } from '../../src/sandbox/controllers/namespaces.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { createResourceTypes } from '../../src/sandbox/store/resource-types.ts';
import { createStore } from '../../src/sandbox/store/store.ts';
import type { SandboxTime } from '../../src/sandbox/time.ts';

/** A sandbox like the cluster of the recordings: the same kinds, namespaces, users and background controllers. */
export function replayCluster<T extends SandboxTime>(time: T, { open = false }: { open?: boolean } = {}) {
  const store = createStore(time);
  const types = createResourceTypes();
  const namespaces = types.byPlural('', 'namespaces')!;
  const configMaps = types.byPlural('', 'configmaps')!;
  const namespace = (name: string): void => {
    store.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, 'test');
  };
  for (const definition of definitions) installCrd(store, types, definition);
  for (const name of ['default', 'kube-system', 'kube-public', 'api-old']) namespace(name);
  const old = ['o0', 'o1', 'o2', 'o3'].map((name) =>
    store.create(
      configMaps,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'api-old', labels: { set: 'old' } } },
      'test',
    ),
  );
  // Something later than those, so that they lie before the compaction.
  namespace('argocd');
  // A real cluster gives every new namespace the certificate of its API server.
  store.subscribe(({ resource, type, object }) => {
    if (resource !== namespaces || type !== 'ADDED') return;
    store.create(configMaps, rootCertificate(object.metadata.name), 'root-ca-cert-publisher');
  });
  startGarbageCollector({ store, types, time });
  startNamespaces({ store, types, time });
  const identities = new Map([
    ['admin', administrator],
    ['nobody', serviceAccountIdentity('api-core', 'nobody')],
  ]);
  const api = createApi({ store, types, time, ...(open ? {} : { identities }) });
  return { time, store, types, handle: api.handle, requests: api.requests, old };
}

function rootCertificate(namespace: string): KubeObject {
  const description =
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace, annotations: { 'kubernetes.io/description': description } },
    data: { 'ca.crt': '<certificate>' },
  };
}

/** The kinds of the custom group in the order of the recorded discovery. */
const definitions: readonly KubeObject[] = [
  applicationDefinition,
  anyKind('ClusterWorkflowTemplate', ['clusterwftmpl', 'cwft'], { scope: 'Cluster' }),
  anyKind('CronWorkflow', ['cwf', 'cronwf']),
  anyKind('WorkflowArtifactGCTask', ['wfat'], { status: true }),
  anyKind('WorkflowEventBinding', ['wfeb']),
  anyKind('Workflow', ['wf']),
  anyKind('WorkflowTaskSet', ['wfts'], { status: true }),
  appProjectDefinition,
  anyKind('ApplicationSet', ['appset', 'appsets'], { status: true }),
  anyKind('WorkflowTaskResult', []),
  anyKind('WorkflowTemplate', ['wftmpl']),
];

function anyKind(
  kind: string,
  shortNames: readonly string[],
  { scope = 'Namespaced', status = false }: { scope?: string; status?: boolean } = {},
): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.argoproj.io` },
    spec: {
      group: 'argoproj.io',
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: open },
          ...(status ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}

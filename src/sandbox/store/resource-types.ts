import { apiVersionOf, type KubeObject, type ResourceType, typeKey } from './objects.ts';

/** The kinds this cluster serves: built in, or added by a CustomResourceDefinition while it exists. */
export interface ResourceTypes {
  all(): readonly ResourceType[];
  byKind(apiVersion: string, kind: string): ResourceType | undefined;
  byPlural(group: string, plural: string): ResourceType | undefined;
  /** Serves what a CustomResourceDefinition declares; called when one is created or changed. */
  addDefinition(definition: KubeObject): void;
  removeDefinition(definition: KubeObject): void;
}

export function createResourceTypes(): ResourceTypes {
  const byKey = new Map<string, ResourceType>();
  for (const type of builtInTypes) byKey.set(typeKey(type), type);
  return {
    all: () => [...byKey.values()],
    byPlural: (group, plural) => byKey.get(typeKey({ group, plural })),
    byKind(apiVersion, kind) {
      for (const type of byKey.values()) if (type.kind === kind && apiVersionOf(type) === apiVersion) return type;
      return undefined;
    },
    addDefinition(definition) {
      const type = typeOf(definition);
      byKey.set(typeKey(type), type);
    },
    removeDefinition(definition) {
      byKey.delete(typeKey(typeOf(definition)));
    },
  };
}

interface DefinitionSpec {
  group: string;
  scope: 'Namespaced' | 'Cluster';
  names: { plural: string; singular?: string; kind: string; shortNames?: string[]; categories?: string[] };
  versions: { name: string; served?: boolean; storage?: boolean; subresources?: { status?: object } }[];
}

function typeOf(definition: KubeObject): ResourceType {
  // The API server has validated the definition before it reaches this place.
  const spec = definition['spec'] as DefinitionSpec;
  const version = spec.versions.find((candidate) => candidate.storage) ?? spec.versions[0];
  return {
    group: spec.group,
    version: version?.name ?? 'v1',
    kind: spec.names.kind,
    plural: spec.names.plural,
    singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
    shortNames: spec.names.shortNames ?? [],
    ...(spec.names.categories === undefined ? {} : { categories: spec.names.categories }),
    namespaced: spec.scope === 'Namespaced',
    statusSubresource: version?.subresources?.status !== undefined,
    custom: true,
  };
}

/** `apps/v1/deployments` and the Kind are enough for most. */
function builtIn(path: string, kind: string, options: Partial<ResourceType> = {}): ResourceType {
  const [group = '', version = '', plural = ''] = path.split('/');
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    namespaced: true,
    statusSubresource: false,
    custom: false,
    ...options,
  };
}

const status = { statusSubresource: true };
const cluster = { namespaced: false };
const workload = { categories: ['all'], ...status };
const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';

const builtInTypes: readonly ResourceType[] = [
  builtIn('/v1/namespaces', 'Namespace', { ...cluster, ...status, shortNames: ['ns'] }),
  builtIn('/v1/nodes', 'Node', { ...cluster, ...status, shortNames: ['no'] }),
  builtIn('/v1/configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  builtIn('/v1/secrets', 'Secret'),
  builtIn('/v1/services', 'Service', { ...workload, shortNames: ['svc'] }),
  builtIn('/v1/serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  builtIn('/v1/pods', 'Pod', { ...workload, shortNames: ['po'] }),
  builtIn('/v1/events', 'Event', { shortNames: ['ev'] }),
  builtIn('/v1/endpoints', 'Endpoints', { shortNames: ['ep'] }),
  builtIn('/v1/persistentvolumeclaims', 'PersistentVolumeClaim', { ...status, shortNames: ['pvc'] }),
  builtIn('/v1/persistentvolumes', 'PersistentVolume', { ...cluster, ...status, shortNames: ['pv'] }),
  builtIn('apps/v1/deployments', 'Deployment', { ...workload, shortNames: ['deploy'] }),
  builtIn('apps/v1/statefulsets', 'StatefulSet', { ...workload, shortNames: ['sts'] }),
  builtIn('apps/v1/daemonsets', 'DaemonSet', { ...workload, shortNames: ['ds'] }),
  builtIn('apps/v1/replicasets', 'ReplicaSet', { ...workload, shortNames: ['rs'] }),
  builtIn('batch/v1/jobs', 'Job', workload),
  builtIn('coordination.k8s.io/v1/leases', 'Lease'),
  builtIn(`${rbac}/roles`, 'Role'),
  builtIn(`${rbac}/rolebindings`, 'RoleBinding'),
  builtIn(`${rbac}/clusterroles`, 'ClusterRole', cluster),
  builtIn(`${rbac}/clusterrolebindings`, 'ClusterRoleBinding', cluster),
  builtIn('networking.k8s.io/v1/ingresses', 'Ingress', { ...status, shortNames: ['ing'] }),
  builtIn('storage.k8s.io/v1/storageclasses', 'StorageClass', { ...cluster, shortNames: ['sc'] }),
  builtIn(`${admission}/validatingwebhookconfigurations`, 'ValidatingWebhookConfiguration', cluster),
  builtIn(`${admission}/mutatingwebhookconfigurations`, 'MutatingWebhookConfiguration', cluster),
  builtIn('apiextensions.k8s.io/v1/customresourcedefinitions', 'CustomResourceDefinition', {
    ...cluster,
    ...status,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
  }),
];

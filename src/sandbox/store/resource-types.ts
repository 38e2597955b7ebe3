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
  for (const type of builtIn) byKey.set(typeKey(type), type);
  return {
    all: () => [...byKey.values()],
    byPlural: (group, plural) => byKey.get(typeKey({ group, plural })),
    byKind: (apiVersion, kind) =>
      [...byKey.values()].find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
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

function builtInType(
  group: string,
  version: string,
  kind: string,
  plural: string,
  options: Partial<ResourceType> = {},
): ResourceType {
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

const builtIn: readonly ResourceType[] = [
  builtInType('', 'v1', 'Namespace', 'namespaces', { namespaced: false, shortNames: ['ns'], statusSubresource: true }),
  builtInType('', 'v1', 'Node', 'nodes', { namespaced: false, shortNames: ['no'], statusSubresource: true }),
  builtInType('', 'v1', 'ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  builtInType('', 'v1', 'Secret', 'secrets'),
  builtInType('', 'v1', 'Service', 'services', { shortNames: ['svc'], categories: ['all'], statusSubresource: true }),
  builtInType('', 'v1', 'ServiceAccount', 'serviceaccounts', { shortNames: ['sa'] }),
  builtInType('', 'v1', 'Pod', 'pods', { shortNames: ['po'], categories: ['all'], statusSubresource: true }),
  builtInType('', 'v1', 'Event', 'events', { shortNames: ['ev'] }),
  builtInType('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', {
    shortNames: ['pvc'],
    statusSubresource: true,
  }),
  builtInType('', 'v1', 'PersistentVolume', 'persistentvolumes', {
    namespaced: false,
    shortNames: ['pv'],
    statusSubresource: true,
  }),
  builtInType('apps', 'v1', 'Deployment', 'deployments', {
    shortNames: ['deploy'],
    categories: ['all'],
    statusSubresource: true,
  }),
  builtInType('apps', 'v1', 'StatefulSet', 'statefulsets', {
    shortNames: ['sts'],
    categories: ['all'],
    statusSubresource: true,
  }),
  builtInType('apps', 'v1', 'DaemonSet', 'daemonsets', {
    shortNames: ['ds'],
    categories: ['all'],
    statusSubresource: true,
  }),
  builtInType('apps', 'v1', 'ReplicaSet', 'replicasets', {
    shortNames: ['rs'],
    categories: ['all'],
    statusSubresource: true,
  }),
  builtInType('batch', 'v1', 'Job', 'jobs', { categories: ['all'], statusSubresource: true }),
  builtInType('coordination.k8s.io', 'v1', 'Lease', 'leases'),
  builtInType('rbac.authorization.k8s.io', 'v1', 'Role', 'roles'),
  builtInType('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings'),
  builtInType('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', { namespaced: false }),
  builtInType('rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', 'clusterrolebindings', { namespaced: false }),
  builtInType('networking.k8s.io', 'v1', 'Ingress', 'ingresses', { shortNames: ['ing'], statusSubresource: true }),
  builtInType('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', { namespaced: false, shortNames: ['sc'] }),
  builtInType(
    'admissionregistration.k8s.io',
    'v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    { namespaced: false },
  ),
  builtInType('admissionregistration.k8s.io', 'v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', {
    namespaced: false,
  }),
  builtInType('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    statusSubresource: true,
  }),
];

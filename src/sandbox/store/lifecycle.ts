import { type KubeObject, type ObjectMeta, type ResourceType, typeKey } from './objects.ts';

/** What keeps a deleted object there: finalizers in metadata and, for a Namespace, in spec. */
export function isHeld(type: ResourceType, object: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return true;
  return isNamespace(type) && (namespaceSpec(object).finalizers ?? []).length > 0;
}

/** A Namespace is born Active, labelled with its name, and held until its contents are gone. */
export function asBorn(type: ResourceType, object: KubeObject): KubeObject {
  if (!isNamespace(type)) return object;
  const { name, labels } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } },
    spec: { ...namespaceSpec(object), finalizers: namespaceSpec(object).finalizers ?? ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

/** The object once its deletion has been asked for and something still holds it. */
export function asDying(type: ResourceType, object: KubeObject, meta: Partial<ObjectMeta>): KubeObject {
  const { generation } = object.metadata;
  const metadata = {
    ...object.metadata,
    ...meta,
    ...(isNamespace(type) ? {} : { deletionGracePeriodSeconds: 0 }),
    ...(generation === undefined ? {} : { generation: generation + 1 }),
  };
  if (!isNamespace(type)) return { ...object, metadata };
  return { ...object, metadata, status: { ...(object['status'] as object), phase: 'Terminating' } };
}

/** Built-in kinds whose objects carry a generation; custom resources always do. */
export function hasGeneration(type: ResourceType): boolean {
  return type.custom || withGeneration.has(typeKey(type));
}

const withGeneration = new Set([
  '/pods',
  '/replicationcontrollers',
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'apps/replicasets',
  'batch/jobs',
  'batch/cronjobs',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/networkpolicies',
  'policy/poddisruptionbudgets',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
]);

function isNamespace(type: ResourceType): boolean {
  return type.group === '' && type.plural === 'namespaces';
}

function namespaceSpec(object: KubeObject): { finalizers?: readonly string[] } {
  return object['spec'] ?? {};
}

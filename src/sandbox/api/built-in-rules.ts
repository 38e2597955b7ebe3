import { type KubeObject, type ResourceType, typeKey } from '../store/objects.ts';
import { sameJson } from '../store/store.ts';
import { badRequest, type Cause } from './status.ts';
import { workloadViolations } from './workload-rules.ts';

/** Top-level fields that the kind does not have. */
export function unknownBuiltInFields(type: ResourceType, object: KubeObject): string[] {
  const known = fieldsOfKind[typeKey(type)] ?? ['spec', 'status'];
  return Object.keys(object).filter((field) => !always.has(field) && !known.includes(field));
}

/** Throws what Go's decoder says to a ConfigMap with a value that is no text. */
export function checkData(type: ResourceType, object: KubeObject): void {
  if (typeKey(type) === '/configmaps') checkStrings(object['data'], 'ConfigMap.data', type);
}

/** What is wrong with a built-in object beyond its metadata; only the rules that somebody has run into. */
export function builtInViolations(
  type: ResourceType,
  object: KubeObject,
  previous: KubeObject | undefined,
): readonly Cause[] {
  switch (typeKey(type)) {
    case '/configmaps':
      return [...configMapViolations(object), ...immutableViolations(object, previous)];
    case '/secrets':
      return immutableViolations(object, previous);
    case '/events':
      return eventViolations(object);
    case 'coordination.k8s.io/leases':
      return leaseViolations(object);
    case 'apiextensions.k8s.io/customresourcedefinitions':
      return definitionViolations(object);
    default:
      return type.group === 'apps' ? workloadViolations(object) : [];
  }
}

const always = new Set(['apiVersion', 'kind', 'metadata']);

const fieldsOfKind: Readonly<Record<string, readonly string[]>> = {
  '/configmaps': ['data', 'binaryData', 'immutable'],
  '/secrets': ['data', 'stringData', 'type', 'immutable'],
  '/serviceaccounts': ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  '/endpoints': ['subsets'],
  '/events': [
    'action',
    'count',
    'eventTime',
    'firstTimestamp',
    'involvedObject',
    'lastTimestamp',
    'message',
    'reason',
    'related',
    'reportingComponent',
    'reportingInstance',
    'series',
    'source',
    'type',
  ],
  'rbac.authorization.k8s.io/roles': ['rules'],
  'rbac.authorization.k8s.io/clusterroles': ['rules', 'aggregationRule'],
  'rbac.authorization.k8s.io/rolebindings': ['roleRef', 'subjects'],
  'rbac.authorization.k8s.io/clusterrolebindings': ['roleRef', 'subjects'],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': ['webhooks'],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': ['webhooks'],
  'storage.k8s.io/storageclasses': [
    'allowVolumeExpansion',
    'allowedTopologies',
    'mountOptions',
    'parameters',
    'provisioner',
    'reclaimPolicy',
    'volumeBindingMode',
  ],
};

const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${why}`,
  field,
});

function checkStrings(map: unknown, field: string, type: ResourceType): void {
  for (const value of Object.values(map ?? {})) {
    if (typeof value === 'string' || value === null || value === undefined) continue;
    const actual = typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? 'array' : typeof value;
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: json: cannot unmarshal ${actual} into Go struct field ${field} of type string`,
    );
  }
}

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function configMapViolations(object: KubeObject): Cause[] {
  const data = (object['data'] ?? {}) as Readonly<Record<string, string>>;
  const causes = Object.keys(data)
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map((key) => invalidValue(`data[${key}]`, key, keyRule));
  const bytes = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > 1_048_576) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: 'Too long: may not be more than 1048576 bytes',
      field: '[]',
    });
  }
  return causes;
}

function immutableViolations(object: KubeObject, previous: KubeObject | undefined): Cause[] {
  if (previous?.['immutable'] !== true) return [];
  return ['immutable', 'data', 'binaryData']
    .filter((field) => !sameJson(object[field], previous[field]))
    .map((field) => ({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: field is immutable when `immutable` is set',
      field,
    }));
}

function eventViolations(object: KubeObject): Cause[] {
  const involved = (object['involvedObject'] ?? {}) as { namespace?: string };
  const { namespace } = object.metadata;
  if (involved.namespace === undefined || involved.namespace === namespace) return [];
  return [invalidValue('involvedObject.namespace', involved.namespace, 'does not match event.namespace')];
}

function leaseViolations(object: KubeObject): Cause[] {
  const { leaseDurationSeconds: seconds } = (object['spec'] ?? {}) as { leaseDurationSeconds?: number };
  if (seconds === undefined || seconds > 0) return [];
  return [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')];
}

function definitionViolations(object: KubeObject): Cause[] {
  const spec = (object['spec'] ?? {}) as {
    group?: string;
    names?: { plural?: string; kind?: string };
    versions?: readonly { name?: string }[];
  };
  const required: readonly [string, unknown][] = [
    ['spec.group', spec.group],
    ['spec.names.plural', spec.names?.plural],
    ['spec.names.kind', spec.names?.kind],
    ['spec.versions', spec.versions?.[0]?.name],
  ];
  const missing = required
    .filter(([, value]) => value === undefined || value === '')
    .map(([field]): Cause => ({ reason: 'FieldValueRequired', message: 'Required value', field }));
  const wanted = `${spec.names?.plural}.${spec.group}`;
  if (missing.length > 0 || object.metadata.name === wanted) return missing;
  return [invalidValue('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group')];
}

import type { KubeObject, ObjectMeta, ResourceType } from '../store/objects.ts';
import type { Cause } from './status.ts';

/** What is wrong with the metadata of a new object. */
export function metadataViolations(type: ResourceType, { metadata }: KubeObject): Cause[] {
  return [...nameViolations(type, metadata.name), ...labelViolations(metadata)];
}

/** What is wrong with the metadata of a changed object. Kubernetes finds the same mistakes twice, in two layers. */
export function metadataChangeViolations(previous: KubeObject, next: KubeObject): Cause[] {
  const causes: Cause[] = [];
  const { uid } = next.metadata;
  if (uid !== undefined && uid !== '' && uid !== previous.metadata.uid) {
    causes.push(broken('metadata.uid', `Invalid value: "${uid}": field is immutable`));
  }
  if (previous.metadata.deletionTimestamp !== undefined) {
    const known = previous.metadata.finalizers ?? [];
    const added = (next.metadata.finalizers ?? []).filter((finalizer) => !known.includes(finalizer));
    if (added.length > 0) {
      const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      causes.push({
        reason: 'FieldValueForbidden',
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
        field: 'metadata.finalizers',
      });
    }
  }
  const twice = [...causes, ...causes];
  return [...twice, ...labelViolations(next.metadata)];
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const broken = (field: string, message: string): Cause => ({ reason: 'FieldValueInvalid', message, field });

function nameViolations(type: ResourceType, name: string): Cause[] {
  if (name === '' || name === undefined) {
    return [
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ];
  }
  // Names of RBAC objects are only path segments.
  if (type.group === 'rbac.authorization.k8s.io') return [];
  const short = type.group === '' && (type.plural === 'namespaces' || type.plural === 'services');
  const [rule, words, longest] = short ? ([label, labelRule, 63] as const) : ([subdomain, subdomainRule, 253] as const);
  const causes: Cause[] = [];
  if (name.length > longest) {
    causes.push(broken('metadata.name', `Invalid value: "${name}": must be no more than ${longest} bytes`));
  }
  if (!rule.test(name)) causes.push(broken('metadata.name', `Invalid value: "${name}": ${words}`));
  return causes;
}

function labelViolations(metadata: ObjectMeta): Cause[] {
  return Object.values(metadata.labels ?? {}).flatMap((value) => {
    if (String(value).length > 63) {
      return [broken('metadata.labels', `Invalid value: "${value}": must be no more than 63 bytes`)];
    }
    return labelValue.test(value)
      ? []
      : [broken('metadata.labels', `Invalid value: ${JSON.stringify(value)}: ${labelValueRule}`)];
  });
}

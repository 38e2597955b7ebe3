import type { KubeObject } from '../store/objects.ts';
import type { Cause } from './status.ts';

/** What is wrong with a Deployment or another kind that makes pods from a template. */
export function workloadViolations(object: KubeObject): Cause[] {
  const spec = (object['spec'] ?? {}) as WorkloadSpec;
  return [...replicaViolations(spec), ...selectorViolations(spec), ...templateViolations(spec)];
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template?: {
    readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
    readonly spec?: { readonly containers?: readonly unknown[] };
  };
}

function replicaViolations({ replicas = 0 }: WorkloadSpec): Cause[] {
  return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
}

function selectorViolations({ selector, template }: WorkloadSpec): Cause[] {
  const labels = template?.metadata?.labels;
  const wanted = Object.entries(selector?.matchLabels ?? {});
  const fits = selector !== undefined && wanted.every(([key, value]) => labels?.[key] === value);
  const unfit = fits
    ? []
    : [invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')];
  return selector === undefined ? [missing('spec.selector'), ...unfit] : unfit;
}

function templateViolations({ template }: WorkloadSpec): Cause[] {
  return (template?.spec?.containers ?? []).length === 0 ? [missing('spec.template.spec.containers')] : [];
}

const missing = (field: string): Cause => ({ reason: 'FieldValueRequired', message: 'Required value', field });

const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

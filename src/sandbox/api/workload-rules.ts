import type { KubeObject } from '../store/objects.ts';
import type { Cause } from './status.ts';

/** What is wrong with a Deployment or another kind that makes pods from a template. */
export function workloadViolations(object: KubeObject): Cause[] {
  const spec = (object['spec'] ?? {}) as WorkloadSpec;
  const causes: Cause[] = [];
  if (spec.replicas !== undefined && spec.replicas < 0) {
    causes.push(invalidValue('spec.replicas', spec.replicas, 'must be greater than or equal to 0'));
  }
  if (spec.selector === undefined) {
    causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' });
  }
  const labels = spec.template?.metadata?.labels;
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  if (spec.selector === undefined || wanted.some(([key, value]) => labels?.[key] !== value)) {
    causes.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  if ((spec.template?.spec?.containers ?? []).length === 0) {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: 'spec.template.spec.containers',
    });
  }
  return causes;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template?: {
    readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
    readonly spec?: { readonly containers?: readonly unknown[] };
  };
}

const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

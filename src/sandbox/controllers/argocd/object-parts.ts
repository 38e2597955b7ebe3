import type { KubeObject } from '../../store/objects.ts';
import type { HealthStatus } from './application.ts';

/** Some fields of an object. */
export type Part = Readonly<Record<string, unknown>>;

export function part(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}

/** The condition of this type, as `True`, `False` or `Unknown`, with its reason. */
export function condition(status: Part, type: string): { status: string; reason: string } | undefined {
  const all = Array.isArray(status['conditions']) ? (status['conditions'] as Part[]) : [];
  const found = all.find((candidate) => candidate['type'] === type);
  return found === undefined
    ? undefined
    : { status: String(found['status'] ?? ''), reason: String(found['reason'] ?? '') };
}

export type HealthCheck = (spec: Part, status: Part, object: KubeObject) => HealthStatus;

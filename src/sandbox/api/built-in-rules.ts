import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Cause } from './status.ts';

export function unknownBuiltInFields(_type: ResourceType, _object: KubeObject): string[] {
  return [];
}

export function builtInViolations(
  _type: ResourceType,
  _object: KubeObject,
  _previous: KubeObject | undefined,
): Cause[] {
  return [];
}

import type { KubeObject, ResourceType } from '../store/objects.ts';

/** Who writes, and how. */
export interface Ownership {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
}

export function ownedFrom(object: KubeObject, _ownership: Ownership, _type: ResourceType, _at: string): KubeObject {
  return object;
}

export function ownedAfter(
  _previous: KubeObject,
  next: KubeObject,
  _ownership: Ownership,
  _type: ResourceType,
  _at: string,
): KubeObject {
  return next;
}

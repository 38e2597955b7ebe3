import type { KubeObject, ResourceType } from '../store/objects.ts';

export function builtInDefaults(_type: ResourceType, object: KubeObject): KubeObject {
  return object;
}

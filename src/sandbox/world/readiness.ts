import type { KubeObject } from '../store/objects.ts';
import { sameJson } from '../store/store.ts';
import { statusIn } from './workload-status.ts';

/** Is the object what its author wants it to be? Written apart from Argo CD's checks, which have known gaps. */
export function isReady(object: KubeObject): boolean {
  if (object.kind === 'CustomResourceDefinition') return object['status'] !== undefined;
  const best = statusIn(object, 'ready');
  if (best === undefined) return true;
  // Only the words of a healthy state count, at the generation that is there now; extra fields do no harm.
  const now = (object['status'] ?? {}) as Record<string, unknown>;
  return Object.entries(best).every(([field, value]) => sameJson(now[field], value));
}

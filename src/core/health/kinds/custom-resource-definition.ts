import { because, conditionOf, type Fields } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/** A CustomResourceDefinition is of use once the API server serves it: Established. */
export function crdVerdict(object: Fields): Verdict {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.isFalse === true) {
    return { status: 'degraded', message: because('its names are taken', names.message || names.reason) };
  }
  if (conditionOf(object, 'Terminating')?.isTrue === true) return { status: 'progressing', message: 'being deleted' };
  const established = conditionOf(object, 'Established');
  if (established?.isTrue === true) return { status: 'healthy', message: 'Established' };
  return { status: 'progressing', message: because('not Established yet', established?.message ?? '') };
}

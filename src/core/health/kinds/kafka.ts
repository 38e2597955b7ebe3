import { because, conditionOf, type Fields, staleStatus } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/** Strimzi's kafka.strimzi.io/Kafka: Ready for the generation that is there, which Argo CD's own check does not ask. */
export function kafkaVerdict(object: Fields): Verdict {
  const paused = conditionOf(object, 'ReconciliationPaused');
  if (paused?.isTrue === true) {
    return {
      status: 'suspended',
      message: 'reconciliation is paused by the annotation strimzi.io/pause-reconciliation',
    };
  }
  const stale = staleStatus(object);
  if (stale !== undefined) return stale;
  if (conditionOf(object, 'Ready')?.isTrue === true) return { status: 'healthy', message: 'Ready' };
  const notReady = conditionOf(object, 'NotReady');
  if (notReady?.isTrue !== true) return { status: 'progressing', message: 'no Ready condition yet' };
  const message = because(`NotReady ${notReady.reason}`.trim(), notReady.message);
  return { status: notReady.reason === 'Creating' ? 'progressing' : 'degraded', message };
}

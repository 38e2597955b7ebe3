import { because, conditionOf, type Fields, staleStatus } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/**
 * temporal.io/TemporalCluster of the community operator (github.com/alexandrevilain/temporal-operator); Temporal itself
 * publishes no CRD, and its Helm chart consists of Deployments that Argo CD judges well enough.
 * Each condition carries the generation it speaks of; the status as a whole does not.
 */
export function temporalClusterVerdict(object: Fields): Verdict {
  const ready = conditionOf(object, 'Ready');
  if (ready === undefined) return notReady(object, 'no status yet');
  const stale = staleStatus(object, ready.observedGeneration);
  if (stale !== undefined) return notReady(object, stale.message);
  // ReconcileError is not looked at here: the operator never takes it back after an error that has passed.
  if (ready.isTrue) return { status: 'healthy', message: 'Ready' };
  return notReady(object, because('not Ready', ready.message || ready.reason));
}

function notReady(object: Fields, message: string): Verdict {
  const error = conditionOf(object, 'ReconcileError');
  const isCurrent = error?.isTrue === true && staleStatus(object, error.observedGeneration) === undefined;
  if (!isCurrent) return { status: 'progressing', message };
  const reconcileError = because(error.reason, error.message);
  // A refused spec cannot mend itself. Other errors are retried, and on a first start (no database yet) they are usual.
  if (refusals.has(error.reason)) return { status: 'degraded', message: reconcileError };
  return { status: 'progressing', message: `${message}; last error: ${reconcileError}` };
}

const refusals: ReadonlySet<string> = new Set(['TemporalClusterValidationFailed', 'SpecValidationFailed']);

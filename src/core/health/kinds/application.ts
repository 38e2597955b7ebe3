import { because, type Fields, fields, oneLine, text } from './read-object.ts';
import type { Verdict, VerdictStatus } from './verdict.ts';

/**
 * A nested argoproj.io/Application, whose health Argo CD has not passed on to its parent since 1.8 (R5.7).
 * Healthy alone can be the verdict on an older state, so it has to be Synced with nothing running as well.
 */
export function applicationVerdict(object: Fields): Verdict {
  const status = fields(object['status']);
  return operationRunning(object) ?? comparisonFailed(status) ?? operationFailed(status) ?? healthAndSync(status);
}

function operationRunning(object: Fields): Verdict | undefined {
  const state = fields(fields(object['status'])['operationState']);
  const phase = text(state['phase']);
  const isRunning = phase === 'Running' || phase === 'Terminating';
  const isRequested = typeof object['operation'] === 'object' && object['operation'] !== null;
  if (!isRunning && !isRequested) return undefined;
  if (!isRunning) return { status: 'progressing', message: 'a sync is requested' };
  return { status: 'progressing', message: because('a sync is running', oneLine(text(state['message']))) };
}

function comparisonFailed(status: Fields): Verdict | undefined {
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].map(fields) : [];
  const error = conditions.find((condition) => blinding.has(text(condition['type'])));
  if (error === undefined) return undefined;
  return { status: 'unknown', message: because(text(error['type']), oneLine(text(error['message']))) };
}

/** With one of these Argo CD could not compare, and what it shows is old. */
const blinding: ReadonlySet<string> = new Set(['ComparisonError', 'InvalidSpecError', 'UnknownError']);

/** A failed sync that left the application OutOfSync; one that is Synced since then has been mended in another way. */
function operationFailed(status: Fields): Verdict | undefined {
  const state = fields(status['operationState']);
  const phase = text(state['phase']);
  const hasFailed = phase === 'Failed' || phase === 'Error';
  if (!hasFailed || text(fields(status['sync'])['status']) === 'Synced') return undefined;
  return { status: 'degraded', message: because(`the last sync ended ${phase}`, oneLine(text(state['message']))) };
}

function healthAndSync(status: Fields): Verdict {
  const health = text(fields(status['health'])['status']);
  const sync = text(fields(status['sync'])['status']);
  if (health === '') return { status: 'progressing', message: 'Argo CD has not looked at it yet' };
  const seen = statuses.get(health) ?? 'unknown';
  const message = because(`${oneLine(health)}, ${oneLine(sync) || 'never compared'}`, healthMessage(status));
  return { status: seen === 'healthy' && sync !== 'Synced' ? 'progressing' : seen, message };
}

function healthMessage(status: Fields): string {
  return oneLine(text(fields(status['health'])['message']));
}

const statuses: ReadonlyMap<string, VerdictStatus> = new Map([
  ['Healthy', 'healthy'],
  ['Progressing', 'progressing'],
  ['Degraded', 'degraded'],
  ['Suspended', 'suspended'],
  ['Missing', 'missing'],
]);

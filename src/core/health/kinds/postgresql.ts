import { count, type Fields, fields, oneLine, staleStatus, text } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/**
 * Zalando's acid.zalan.do/postgresql: Running, and as many ready replicas as asked for.
 * The custom resource does not count ready replicas; the StatefulSet of the same name does, where the caller could read it.
 */
export function postgresqlVerdict(object: Fields, statefulSet?: unknown): Verdict {
  const stale = staleStatus(object);
  if (stale !== undefined) return stale;
  const state = clusterStatus(object['status']);
  if (state === '') return { status: 'progressing', message: 'no status yet' };
  if (failed.has(state))
    return { status: 'degraded', message: `${state}: see the operator's log and the object's events` };
  if (waiting.has(state)) return { status: 'progressing', message: state };
  if (state !== 'Running') return { status: 'unknown', message: `its operator says ${oneLine(state)}` };
  return replicas(object, statefulSet);
}

const failed: ReadonlySet<string> = new Set(['CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid']);
const waiting: ReadonlySet<string> = new Set(['Creating', 'Updating']);

/** Operators before 1.0 wrote the bare word. */
function clusterStatus(status: unknown): string {
  return text(status) || text(fields(status)['PostgresClusterStatus']);
}

function replicas(object: Fields, statefulSet: unknown): Verdict {
  const desired = count(fields(object['spec'])['numberOfInstances']);
  if (desired === undefined || statefulSet === undefined) return { status: 'healthy', message: 'Running' };
  const stale = staleStatus(fields(statefulSet));
  if (stale !== undefined) return { status: 'progressing', message: 'Running, but its StatefulSet is being changed' };
  // A StatefulSet with no ready pod leaves the field out.
  const ready = count(fields(fields(statefulSet)['status'])['readyReplicas']) ?? 0;
  const message = `Running, ${ready} of ${desired} replicas ready`;
  return { status: ready >= desired ? 'healthy' : 'progressing', message };
}

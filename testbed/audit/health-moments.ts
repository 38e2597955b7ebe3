import { applicationRecords } from './application-records.ts';
import type { AuditEntry } from './read-audit.ts';

/** From this revision on Argo CD's record of an Application said so. */
export interface HealthMoment {
  readonly revision: number;
  readonly at: number;
  /** Synced and Healthy. */
  readonly isGood: boolean;
  readonly sync: string;
  readonly health: string;
}

/** When each Application was recorded as Synced and Healthy, and when not: every change of its record, by Application. */
export function healthMoments(entries: readonly AuditEntry[]): ReadonlyMap<string, readonly HealthMoment[]> {
  const moments = new Map<string, HealthMoment[]>();
  for (const { application, revision, at, sync, health } of applicationRecords(entries)) {
    const known = moments.get(application) ?? [];
    moments.set(application, known);
    const last = known.at(-1);
    if (last?.sync === sync && last.health === health) continue;
    known.push({ revision, at, sync, health, isGood: sync === 'Synced' && health === 'Healthy' });
  }
  return moments;
}

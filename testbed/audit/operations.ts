import { applicationRecords } from './application-records.ts';
import type { AuditEntry } from './read-audit.ts';

/** An operation as Argo CD has recorded it. */
export interface RecordedSync {
  readonly application: string;
  readonly startedAt: string;
  /** Started by Argo CD itself. */
  readonly automated: boolean;
  readonly by: string;
}

/** Every operation that the Applications' records show, each once, in the order in which they first appeared. */
export function operations(entries: readonly AuditEntry[]): RecordedSync[] {
  const seen = new Map<string, RecordedSync>();
  for (const { application, operation } of applicationRecords(entries)) {
    if (operation === undefined) continue;
    const { startedAt, automated, by } = operation;
    const key = `${application} ${startedAt} ${automated} ${by}`;
    if (!seen.has(key)) seen.set(key, { application, startedAt, automated, by });
  }
  return [...seen.values()];
}

import { keyOf } from './creations.ts';
import type { AuditEntry } from './read-audit.ts';

/** A change that somebody asked for, refused or not. */
export interface Write {
  readonly verb: string;
  readonly key: string;
  readonly code: number;
  readonly at: number;
  /** The run's own Lease: says that somebody is at work, and changes nothing of the platform. */
  readonly isLease: boolean;
}

const writing = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Every write request of one identity. */
export function writesOf(entries: readonly AuditEntry[], user: string): Write[] {
  return entries
    .filter((entry) => entry.user === user && writing.has(entry.verb))
    .map((entry) => ({
      verb: entry.verb,
      key: keyOf(entry),
      code: entry.code,
      at: entry.receivedAt,
      isLease: entry.resource === 'leases',
    }));
}

import * as z from 'zod';
import type { AuditEntry } from '../../testbed/audit/read-audit.ts';

/** The moment somebody asked for an operation: the write that put it onto the Application. */
export interface Ask {
  readonly application: string;
  readonly at: number;
  readonly revision: number;
  /** The objects it names; undefined: all. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Every operation that was asked for, whoever asked, in the cluster's own order. */
export function asksIn(entries: readonly AuditEntry[]): Ask[] {
  const writes = entries
    .filter(({ resource, isTrial, object }) => resource === 'applications' && !isTrial && object !== undefined)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  const pending = new Map<string, string>();
  return writes.flatMap((entry) => {
    const { name, receivedAt: at, object } = entry;
    const text = object?.operation === undefined ? '' : JSON.stringify(object.operation);
    const isNew = text !== '' && text !== pending.get(name);
    pending.set(name, text);
    return isNew ? [{ application: name, at, revision: revisionOf(entry), names: namesIn(object?.operation) }] : [];
  });
}

const Operation = z.object({ sync: z.object({ resources: z.array(z.object({ name: z.string() })).optional() }) });

function namesIn(operation: unknown): ReadonlySet<string> | undefined {
  const resources = Operation.safeParse(operation).data?.sync.resources;
  return resources === undefined ? undefined : new Set(resources.map(({ name }) => name));
}

function revisionOf({ object }: AuditEntry): number {
  return Number(object?.metadata.resourceVersion ?? 0);
}

import type { AuditEntry } from './read-audit.ts';

/** What an operator has said of one object in its life, oldest first. */
export interface OperatorReports {
  /** `cephclusters.ceph.rook.io rook-ceph/main` */
  readonly key: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly said: readonly { readonly status: Readonly<Record<string, unknown>>; readonly at: number }[];
}

/** Of each object whose status this user has written. */
export function operatorReports(entries: readonly AuditEntry[], user: string): OperatorReports[] {
  const found = new Map<string, OperatorReports>();
  for (const { resource, group, namespace, name, answeredAt, object } of entries.filter(isReportOf(user))) {
    if (object?.status === undefined) continue;
    const key = `${resource}.${group} ${namespace}/${name}`;
    const before = found.get(key)?.said ?? [];
    const report = { status: object.status as Readonly<Record<string, unknown>>, at: answeredAt };
    found.set(key, { key, annotations: object.metadata.annotations ?? {}, said: [...before, report] });
  }
  return [...found.values()];
}

function isReportOf(user: string): (entry: AuditEntry) => boolean {
  return (entry) => entry.user === user && entry.subresource === 'status' && entry.code < 300 && !entry.isTrial;
}

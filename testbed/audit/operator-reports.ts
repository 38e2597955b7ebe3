import type { AuditEntry } from './read-audit.ts';

/** What an operator has said of one object in its life, oldest first. */
export interface OperatorReports {
  /** `cephclusters.ceph.rook.io rook-ceph/main` */
  readonly key: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly said: readonly { readonly status: Readonly<Record<string, unknown>>; readonly at: number }[];
}

/** Of each object of these users' status writes. */
export function operatorReports(entries: readonly AuditEntry[], user: string): OperatorReports[] {
  const found = new Map<string, OperatorReports>();
  for (const { object, subresource, code, isTrial, ...entry } of entries) {
    if (entry.user !== user || subresource !== 'status' || code >= 300 || isTrial || object?.status === undefined)
      continue;
    const key = `${entry.resource}.${entry.group} ${entry.namespace}/${entry.name}`;
    const known = found.get(key);
    const report = { status: object.status as Readonly<Record<string, unknown>>, at: entry.answeredAt };
    const annotations = object.metadata.annotations ?? {};
    found.set(key, { key, annotations, said: [...(known?.said ?? []), report] });
  }
  return [...found.values()];
}

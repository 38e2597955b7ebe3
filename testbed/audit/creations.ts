import { type ApplicationRecord, applicationRecords } from './application-records.ts';
import { argocdUsers } from './argocd-users.ts';
import type { AuditEntry } from './read-audit.ts';

/** An object that Argo CD has created. */
export interface Creation {
  /** The Application it belongs to; undefined when nothing tells. */
  readonly application: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  readonly revision: number;
  readonly at: number;
}

/** What Argo CD has created, in the cluster's own order, and for which Application. */
export function creations(entries: readonly AuditEntry[]): Creation[] {
  const owners = ownersOf(applicationRecords(entries));
  return entries
    .filter(isCreation)
    .map((entry) => creationOf(entry, owners))
    .sort((a, b) => a.revision - b.revision);
}

/** Names one object among all of the cluster. */
export function keyOf({ group, resource, namespace, name }: AuditEntry): string {
  return `${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function isCreation({ user, code, verb, isTrial, object, subresource }: AuditEntry): boolean {
  if (!argocdUsers.includes(user) || code !== 201 || isTrial || subresource !== undefined) return false;
  // Reviews of rights are answered as created, and are nothing.
  return (verb === 'create' || verb === 'patch') && object?.metadata.resourceVersion !== undefined;
}

function creationOf(entry: AuditEntry, owners: Owners): Creation {
  const { kind = '', metadata } = entry.object ?? {};
  return {
    application: tracked(metadata?.annotations) ?? owners(kind, entry.name),
    kind,
    name: entry.name,
    key: keyOf(entry),
    revision: Number(metadata?.resourceVersion),
    at: entry.receivedAt,
  };
}

/** `app:group/Kind:namespace/name` */
function tracked(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  return annotations?.['argocd.argoproj.io/tracking-id']?.split(':')[0];
}

type Owners = (kind: string, name: string) => string | undefined;

/** Definitions carry no mark of their Application, which lists them; a namespace made on the way is somebody's destination. */
function ownersOf(records: readonly ApplicationRecord[]): Owners {
  const definitions = new Map<string, string>();
  const namespaces = new Map<string, Set<string>>();
  for (const { application, resources, destinationNamespace } of records) {
    for (const { kind, name } of resources) if (kind === 'CustomResourceDefinition') definitions.set(name, application);
    if (destinationNamespace === undefined) continue;
    namespaces.set(destinationNamespace, (namespaces.get(destinationNamespace) ?? new Set()).add(application));
  }
  return (kind, name) => {
    if (kind === 'CustomResourceDefinition') return definitions.get(name);
    const users = kind === 'Namespace' ? [...(namespaces.get(name) ?? [])] : [];
    return users.length === 1 ? users[0] : undefined;
  };
}

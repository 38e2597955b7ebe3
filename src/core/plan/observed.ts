import type { Check } from '../health/check.ts';

/** What the cluster shows, as plain values. Names of Argo CD's own fields are kept where they mean the same. */
export interface Observed {
  /** By the name of the Argo CD Application. */
  readonly applications: ReadonlyMap<string, ObservedApplication>;
  /** By the name of the AppProject. */
  readonly projects: ReadonlyMap<string, ObservedProject>;
  /** Application → our own verdicts (INV-7), for those that Argo CD calls Healthy. */
  readonly checks: ReadonlyMap<string, readonly Check[]>;
}

export interface ObservedProject {
  readonly name: string;
  /** The Applications our own deny window names here. */
  readonly held: readonly string[];
}

export interface ObservedApplication {
  readonly name: string;
  readonly resourceVersion: string;
  readonly createdAt?: string | undefined;
  readonly project: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /** The refresh annotation is still there: the controller has not answered yet. */
  readonly refreshRequested: boolean;
  readonly automated: boolean;
  /** The ApplicationSet of its namespace that makes it. */
  readonly madeBy: string | undefined;
  readonly destinationNamespace: string | undefined;
  readonly sources: readonly ApplicationSource[];
  /** `.operation`: requested or running. Nothing else means running. */
  readonly operation: OperationMark | undefined;
  readonly lastOperation: LastOperation | undefined;
  readonly sync: SyncStatus;
  readonly health: { readonly status: string; readonly message: string | undefined };
  readonly reconciledAt: string | undefined;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
  readonly resources: readonly ResourceRef[];
  /** Ordering that somebody tried with Argo CD's annotations on the Application itself (R5.6, INV-8). */
  readonly syncWave: string | undefined;
  readonly hook: string | undefined;
  /** Whole syncs that Succeeded, oldest first, as far as Argo CD remembers; selective ones are not in its history. */
  readonly history: readonly { readonly revision: string | undefined; readonly deployedAt: string | undefined }[];
}

export interface ApplicationSource {
  readonly repository: string;
  readonly targetRevision: string;
}

export interface SyncStatus {
  readonly status: 'Synced' | 'OutOfSync' | 'Unknown';
  readonly revision: string | undefined;
}

/** Whose operation it is. `step` and `run` are what we put into `info`. */
export interface OperationMark {
  readonly step: string | undefined;
  readonly run: string | undefined;
  readonly initiatedBy: string;
  readonly automated: boolean;
  readonly selective: boolean;
}

export interface LastOperation extends OperationMark {
  readonly phase: string;
  readonly message: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  readonly revision: string | undefined;
  /** The objects that were not there before it, by `objectKey`. */
  readonly created?: ReadonlySet<string>;
}

/** Names one object among all of a cluster. */
export function objectKey({ group, kind, namespace, name }: ObjectName): string {
  return `${group}/${kind} ${namespace ?? ''}/${name}`;
}

export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly sync: string | undefined;
  readonly hook: boolean;
  readonly prune: boolean;
  /** The sync wave in which an operation brings it; 0 where there is none. */
  readonly wave?: number;
  /** Argo CD would ask before it deletes this, by what it has heard of the live object. */
  readonly confirm?: true;
}

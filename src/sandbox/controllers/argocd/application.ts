import type { KubeObject, ResourceType } from '../../store/objects.ts';
import type { Store } from '../../store/store.ts';

/** An Argo CD Application as the controller reads it. The API server has checked its shape when it was written. */
export interface Application extends KubeObject {
  readonly spec: ApplicationSpec;
  readonly operation?: Operation;
  readonly status?: ApplicationStatus;
}

export interface ApplicationSpec {
  readonly project: string;
  readonly source?: Source;
  readonly sources?: readonly Source[];
  readonly destination: { readonly server?: string; readonly name?: string; readonly namespace?: string };
  readonly syncPolicy?: SyncPolicy;
}

export interface Source {
  readonly repoURL: string;
  readonly path?: string;
  readonly targetRevision?: string;
  /** Of a Helm repository; then the revision is a version. */
  readonly chart?: string;
  /** Under this name other sources read its files; without a path it gives no objects. */
  readonly ref?: string;
}

export interface SyncPolicy {
  readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean; readonly enabled?: boolean };
  readonly syncOptions?: readonly string[];
  readonly retry?: RetryPolicy;
}

export interface RetryPolicy {
  readonly limit?: number;
  readonly backoff?: { readonly duration?: string; readonly factor?: number; readonly maxDuration?: string };
}

export interface Operation {
  readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean };
  readonly info?: readonly { readonly name: string; readonly value: string }[];
  readonly retry?: RetryPolicy;
  readonly sync?: SyncOperation;
}

export interface SyncOperation {
  readonly revision?: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly resources?: readonly ResourceReference[];
  readonly syncOptions?: readonly string[];
  readonly autoHealAttemptsCount?: number;
  readonly source?: Source;
}

export interface ResourceReference {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export type OperationPhase = 'Running' | 'Terminating' | 'Failed' | 'Error' | 'Succeeded';

export interface OperationState {
  readonly operation: Operation;
  readonly phase: OperationPhase;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly retryCount?: number;
  readonly syncResult?: SyncResult;
}

export interface SyncResult {
  readonly revision: string;
  readonly revisions?: readonly string[];
  readonly source?: Source;
  readonly resources?: readonly ResourceResult[];
}

export interface ResourceResult {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';
  readonly message: string;
  readonly syncPhase: string;
  readonly hookPhase?: string;
  readonly hookType?: string;
  readonly images?: readonly string[];
}

export type HealthStatus = 'Healthy' | 'Suspended' | 'Progressing' | 'Missing' | 'Degraded' | 'Unknown';

/** One line of `status.resources`. */
export interface ResourceStatus {
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: 'Synced' | 'OutOfSync' | 'Unknown';
  readonly syncWave?: number;
  readonly hook?: boolean;
  readonly requiresPruning?: boolean;
  readonly requiresDeletionConfirmation?: boolean;
}

export interface Condition {
  readonly type: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface ApplicationStatus {
  readonly sync?: {
    readonly status: string;
    readonly revision?: string;
    readonly revisions?: readonly string[];
    readonly comparedTo?: unknown;
  };
  readonly health?: { readonly status?: HealthStatus; readonly lastTransitionTime?: string };
  readonly resources?: readonly ResourceStatus[];
  readonly conditions?: readonly Condition[];
  readonly operationState?: OperationState;
  readonly reconciledAt?: string;
  readonly resourceHealthSource?: string;
  /** Whole syncs that Succeeded, oldest first. */
  readonly history?: readonly HistoryEntry[];
}

export interface HistoryEntry {
  readonly id: number;
  readonly deployStartedAt: string;
  readonly deployedAt: string;
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly source?: Source;
}

/** Under this name Argo CD's controller writes. */
export const argocdController = 'argocd-application-controller';

export const refreshAnnotation = 'argocd.argoproj.io/refresh';
export const trackingAnnotation = 'argocd.argoproj.io/tracking-id';

/** What Argo CD calls an Application: its name, with the namespace before it when it does not live beside Argo CD. */
export function instanceName({ metadata }: KubeObject, argocdNamespace: string): string {
  const { name, namespace = argocdNamespace } = metadata;
  return namespace === argocdNamespace ? name : `${namespace}/${name}`;
}

/** Every source of the Application, whether it has one or several. */
export function sourcesOf(spec: ApplicationSpec): readonly Source[] {
  if (spec.sources !== undefined && spec.sources.length > 0) return spec.sources;
  return spec.source === undefined ? [] : [spec.source];
}

export function readApplication(
  store: Store,
  type: ResourceType,
  id: { namespace: string; name: string },
): Application | undefined {
  // The definition of Application has been checked by the API server; this is the one place that trusts it.
  return store.get(type, id.namespace, id.name) as Application | undefined;
}

/** Writes as the controller does: reads, changes, writes; nothing happens when the Application is gone. */
export function changeApplication(
  store: Store,
  type: ResourceType,
  id: { namespace: string; name: string },
  mutate: (application: Application) => Application,
): void {
  store.change(type, id.namespace, id.name, argocdController, (object) => mutate(object as Application));
}

/** Is automated sync on? */
export function isAutomated(spec: ApplicationSpec): boolean {
  const automated = spec.syncPolicy?.automated;
  return automated !== undefined && automated.enabled !== false;
}

/** Frozen by its annotation: nothing is compared, synced or written. */
export function isFrozen(application: KubeObject): boolean {
  return application.metadata.annotations?.['argocd.argoproj.io/skip-reconcile'] === 'true';
}

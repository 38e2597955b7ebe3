import * as z from 'zod';
import {
  type ApplicationSource,
  type LastOperation,
  type ObservedApplication,
  type OperationMark,
  objectKey,
  type ResourceRef,
} from '../../core/plan/observed.ts';

/** The annotation by which anybody asks Argo CD for a comparison. */
export const refreshAnnotation = 'argocd.argoproj.io/refresh';
/** What we change to be seen again when a request was overlooked. */
export const nonceAnnotation = 'tiphys.dev/nonce';
export const runInfo = 'tiphys.dev/run';
export const stepInfo = 'tiphys.dev/step';

/** Reads an Application as Argo CD writes it. Unknown words become Unknown, missing fields their absence: a status is never trusted to be complete. */
export function parseApplication(object: unknown): ObservedApplication {
  const known = cache.get(object as object);
  if (known !== undefined) return known;
  const parsed = observedFrom(Application.parse(object));
  cache.set(object as object, parsed);
  return parsed;
}

/** The same object is asked for many times between two changes. */
const cache = new WeakMap<object, ObservedApplication>();

const text = z.string().optional().catch(undefined);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .catch([])
    .transform((items) => items ?? []);

const Source = z.object({ repoURL: text, targetRevision: text });
const Operation = z.object({
  initiatedBy: z
    .object({ username: text, automated: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  info: list(z.object({ name: text, value: text })),
  sync: z
    .object({ resources: list(z.unknown()) })
    .nullish()
    .catch(undefined),
});
/** An object with what became of it in an operation: `configmap/one created`, `kafka.kafka.strimzi.io/one configured`. */
const SyncedObject = z.object({ group: text, kind: text, namespace: text, name: text, message: text });
const OperationState = z.object({
  operation: Operation.optional().catch(undefined),
  phase: text,
  message: text,
  startedAt: text,
  finishedAt: text,
  syncResult: z
    .object({ revision: text, revisions: list(z.string()), resources: list(SyncedObject) })
    .nullish()
    .catch(undefined),
});
const Resource = z.object({
  group: text,
  version: text,
  kind: text,
  namespace: text,
  name: text,
  status: text,
  syncWave: z.number().optional().catch(undefined),
  hook: z.boolean().optional().catch(undefined),
  requiresPruning: z.boolean().optional().catch(undefined),
  requiresDeletionConfirmation: z.boolean().optional().catch(undefined),
});
const Status = z.object({
  sync: z
    .object({ status: text, revision: text, revisions: list(z.string()) })
    .optional()
    .catch(undefined),
  health: z.object({ status: text, message: text }).optional().catch(undefined),
  operationState: OperationState.nullish().catch(undefined),
  reconciledAt: text,
  conditions: list(z.object({ type: text, message: text })),
  resources: list(Resource),
  history: list(z.object({ deployedAt: text, revision: text, revisions: list(z.string()) })),
});
const Application = z.object({
  metadata: z.object({
    name: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: text,
    deletionTimestamp: text,
    finalizers: list(z.string()),
    ownerReferences: list(z.object({ kind: text, name: text })),
    annotations: z.record(z.string(), z.string()).nullish().catch(undefined),
  }),
  spec: z
    .object({
      project: text,
      source: Source.optional().catch(undefined),
      sources: list(Source),
      destination: z.object({ namespace: text }).optional().catch(undefined),
      syncPolicy: z
        .object({
          automated: z
            .object({ enabled: z.boolean().optional().catch(undefined) })
            .nullish()
            .catch(undefined),
        })
        .nullish()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  operation: Operation.nullish().catch(undefined),
  status: Status.nullish().catch(undefined),
});
type RawApplication = z.infer<typeof Application>;

function observedFrom(raw: RawApplication): ObservedApplication {
  return {
    ...fromMetadata(raw),
    ...fromSpec(raw.spec),
    ...fromOperation(raw),
    ...fromStatus(raw.status ?? emptyStatus),
  };
}

function fromMetadata({ metadata }: RawApplication) {
  const annotations = metadata.annotations ?? {};
  return {
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    createdAt: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers,
    madeBy: metadata.ownerReferences.find(({ kind }) => kind === 'ApplicationSet')?.name,
    refreshRequested: annotations[refreshAnnotation] !== undefined,
    syncWave: annotations['argocd.argoproj.io/sync-wave'],
    hook: annotations['argocd.argoproj.io/hook'],
  };
}

function fromSpec(spec: RawApplication['spec'] = { sources: [] }) {
  const automated = spec.syncPolicy?.automated ?? undefined;
  const sources = spec.source === undefined ? spec.sources : [spec.source];
  return {
    project: spec.project === undefined || spec.project === '' ? 'default' : spec.project,
    automated: automated !== undefined && automated.enabled !== false,
    destinationNamespace: spec.destination?.namespace,
    sources: sources.map(sourceOf),
  };
}

function sourceOf({ repoURL = '', targetRevision = 'HEAD' }: z.infer<typeof Source>): ApplicationSource {
  return { repository: repoURL, targetRevision };
}

function fromOperation({ operation, status }: RawApplication) {
  return {
    operation: operation === null || operation === undefined ? undefined : mark(operation),
    lastOperation: lastOperation(status?.operationState ?? undefined),
  };
}

function fromStatus(status: z.infer<typeof Status>) {
  return {
    sync: { status: syncWord(status.sync?.status), revision: revisionOf(status.sync) },
    health: { status: status.health?.status ?? 'Unknown', message: status.health?.message },
    reconciledAt: status.reconciledAt,
    conditions: status.conditions.map(({ type = 'Unknown', message = '' }) => ({ type, message })),
    resources: status.resources.map(resource),
    history: status.history.map((entry) => ({ revision: revisionOf(entry), deployedAt: entry.deployedAt })),
  };
}

const emptyStatus: z.infer<typeof Status> = { reconciledAt: undefined, conditions: [], resources: [], history: [] };

function mark(operation: z.infer<typeof Operation>): OperationMark {
  const info = (wanted: string): string | undefined => operation.info.find(({ name }) => name === wanted)?.value;
  const automated = operation.initiatedBy?.automated === true;
  return {
    step: info(stepInfo),
    run: info(runInfo),
    initiatedBy: operation.initiatedBy?.username ?? (automated ? 'Argo CD’s auto-sync' : 'somebody'),
    automated,
    selective: (operation.sync?.resources.length ?? 0) > 0,
  };
}

function lastOperation(state: z.infer<typeof OperationState> | undefined): LastOperation | undefined {
  if (state?.phase === undefined) return undefined;
  return {
    ...mark(state.operation ?? { initiatedBy: undefined, info: [], sync: undefined }),
    phase: state.phase,
    message: state.message ?? '',
    startedAt: state.startedAt,
    finishedAt: state.finishedAt,
    revision: revisionOf(state.syncResult ?? undefined),
    created: createdBy(state.syncResult?.resources ?? []),
  };
}

function createdBy(objects: readonly z.infer<typeof SyncedObject>[]): ReadonlySet<string> {
  // In kubectl's words, by its name: of an object that was waited for Argo CD writes down what its health check says instead.
  const created = objects.filter(({ name, message }) => message?.endsWith(`/${name} created`));
  return new Set(
    created.map(({ group = '', kind = '', namespace, name = '' }) => objectKey({ group, kind, namespace, name })),
  );
}

/** Several sources have several revisions; joined they compare like one. */
function revisionOf(holder: { revision?: string | undefined; revisions?: string[] } | undefined): string | undefined {
  if (holder?.revision !== undefined && holder.revision !== '') return holder.revision;
  return holder?.revisions === undefined || holder.revisions.length === 0 ? undefined : holder.revisions.join(',');
}

function syncWord(word: string | undefined): 'Synced' | 'OutOfSync' | 'Unknown' {
  return word === 'Synced' || word === 'OutOfSync' ? word : 'Unknown';
}

function resource(raw: z.infer<typeof Resource>): ResourceRef {
  return {
    group: raw.group ?? '',
    version: raw.version ?? '',
    kind: raw.kind ?? '',
    namespace: raw.namespace,
    name: raw.name ?? '',
    sync: raw.status,
    hook: raw.hook === true,
    prune: raw.requiresPruning === true,
    ...(raw.syncWave !== undefined && { wave: raw.syncWave }),
    ...(raw.requiresDeletionConfirmation === true && { confirm: true }),
  };
}

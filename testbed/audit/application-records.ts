import * as z from 'zod';
import type { AuditEntry } from './read-audit.ts';

/** An Application as one write has left it. */
export interface ApplicationRecord {
  readonly application: string;
  /** etcd's revision: orders everything that happened in the cluster. */
  readonly revision: number;
  readonly at: number;
  readonly sync: string;
  readonly health: string;
  readonly destinationNamespace: string | undefined;
  readonly resources: readonly RecordedResource[];
  /** The operation under way or over, when there is one. */
  readonly operation: RecordedOperation | undefined;
}

export interface RecordedResource {
  readonly kind: string;
  readonly name: string;
  readonly hook: boolean;
}

export interface RecordedOperation {
  readonly startedAt: string;
  readonly phase: string;
  readonly automated: boolean;
  readonly by: string;
}

/** Every state of every Application that a write has left behind, in the cluster's own order. */
export function applicationRecords(entries: readonly AuditEntry[]): ApplicationRecord[] {
  return entries
    .filter((entry) => entry.resource === 'applications' && entry.group === 'argoproj.io' && !entry.isTrial)
    .flatMap((entry) => recordOf(entry) ?? [])
    .sort((a, b) => a.revision - b.revision);
}

const Operation = z.object({
  phase: z.string().default(''),
  startedAt: z.string().default(''),
  operation: z
    .object({
      initiatedBy: z.object({ automated: z.boolean().default(false), username: z.string().default('') }).prefault({}),
    })
    .prefault({}),
});

const Resource = z.object({
  kind: z.string().default(''),
  name: z.string().default(''),
  hook: z.boolean().default(false),
});

const Application = z.object({
  kind: z.literal('Application'),
  metadata: z.object({ name: z.string(), resourceVersion: z.string() }),
  spec: z.object({ destination: z.object({ namespace: z.string().optional() }).prefault({}) }).prefault({}),
  status: z
    .object({
      sync: z.object({ status: z.string().default('') }).prefault({}),
      health: z.object({ status: z.string().default('') }).prefault({}),
      resources: z.array(Resource).default([]),
      operationState: Operation.nullish(),
    })
    .prefault({}),
});

function recordOf({ object, answeredAt }: AuditEntry): ApplicationRecord | undefined {
  const parsed = Application.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  return {
    application: metadata.name,
    revision: Number(metadata.resourceVersion),
    at: answeredAt,
    sync: status.sync.status,
    health: status.health.status,
    destinationNamespace: spec.destination.namespace,
    resources: status.resources,
    operation: operationOf(status.operationState),
  };
}

function operationOf(state: z.infer<typeof Operation> | null | undefined): RecordedOperation | undefined {
  if (state === undefined || state === null) return undefined;
  const { automated, username } = state.operation.initiatedBy;
  return { startedAt: state.startedAt, phase: state.phase, automated, by: username };
}

import type { ObservedApplication, ResourceRef } from '../core/plan/observed.ts';
import { partResources } from '../core/plan/plan-deploy.ts';
import type { Part } from '../core/platform/platform.ts';
import type { Evidence } from '../core/run/evidence.ts';
import { barrier } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import { type OperationResult, operate } from './operation.ts';
import { verdictsOn } from './own-checks.ts';
import type { World } from './ports.ts';
import { failedStep, type StepOrder, type StepResult } from './step-result.ts';

export type PartOrder = StepOrder & { readonly part: Part; readonly deadline: number };

/** How long to wait for the watch before the part is compared again. */
const lookAgainMs = 2_000;

/** Syncs just the objects of one part, and waits until they are Synced. Their health is that of being there. */
export async function partStep(world: World, emit: Emit, order: PartOrder, signal: AbortSignal): Promise<StepResult> {
  const application = order.app.application;
  let operation: OperationResult | undefined;
  for (;;) {
    const answer = await barrier(world, application, order.deadline, signal);
    const seen = world.argocd.application(application);
    if (seen === undefined) return disappeared(application);
    const refreshedAt = 'refreshedAt' in answer ? answer.refreshedAt : undefined;
    const look = { seen, refreshedAt, objects: partResources(order.part, seen.resources), operation };
    const end = judge(world, order, look);
    if (end !== undefined) return end;
    if (operation === undefined) {
      const open = look.objects.filter(isOpen);
      operation = await syncPart(world, emit, { ...order, open }, signal);
      if (operation.ended !== 'succeeded') return failedStep(operation);
      const seenNow = await seenByUs(world, { objects: look.objects, open, operation }, signal);
      if (seenNow !== undefined) return seenNow;
    } else {
      await world.argocd.changed(application, Math.min(order.deadline, world.clock.now() + lookAgainMs), signal);
    }
  }
}

interface Synced {
  readonly objects: readonly ResourceRef[];
  /** Those of them that were synced just now. */
  readonly open: readonly ResourceRef[];
  readonly operation: Extract<OperationResult, { ended: 'succeeded' }>;
}

/**
 * Definitions say themselves whether they are in force. Argo CD reads the whole cluster anew after each that is new, and answers
 * no comparison meanwhile: on a busy one for half a minute.
 */
async function seenByUs(
  world: World,
  { objects, open, operation: { operationId, revision } }: Synced,
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  const checks = await verdictsOn(world, open, signal);
  if (checks === undefined || !checks.every(({ verdict }) => verdict.status === 'healthy')) return undefined;
  const evidence: Evidence = {
    operationId,
    operationPhase: 'Succeeded',
    ...(revision === undefined ? {} : { revision }),
    resources: objects.length,
    checks: checks.map(({ about, verdict }) => `${about}: ${verdict.message}`),
  };
  return { result: 'healthy', evidence };
}

interface Look {
  readonly seen: ObservedApplication;
  readonly refreshedAt: string | undefined;
  readonly objects: readonly ResourceRef[];
  readonly operation: OperationResult | undefined;
}

function judge(world: World, order: PartOrder, look: Look): StepResult | undefined {
  const { objects, refreshedAt, seen } = look;
  if (refreshedAt !== undefined && objects.length === 0) return noSuchObjects(order);
  if (refreshedAt !== undefined && seen.operation === undefined && !objects.some(isOpen)) {
    return { result: 'healthy', evidence: evidence(look, refreshedAt) };
  }
  if (world.clock.now() < order.deadline) return undefined;
  return {
    result: 'timed-out',
    because: `timed out waiting for the part’s ${objects.length} objects to be Synced`,
    hint: `Look at ${order.app.application} in Argo CD.`,
  };
}

function isOpen(object: ResourceRef): boolean {
  return object.sync !== 'Synced';
}

function syncPart(
  world: World,
  emit: Emit,
  { node, app, runId, deadline, open, stillWanted }: PartOrder & { readonly open: readonly ResourceRef[] },
  signal: AbortSignal,
): Promise<OperationResult> {
  const target = { node, application: app.application, runId, deadline, resources: open };
  return operate(world, emit, { ...target, ...(stillWanted && { stillWanted }) }, signal);
}

function disappeared(application: string): StepResult {
  return { result: 'failed', because: `Application ${application} disappeared`, hint: 'Something deleted it.' };
}

function noSuchObjects({ app, part }: PartOrder): StepResult {
  return {
    result: 'failed',
    because: `Application ${app.application} has no ${part.kinds.join(' or ')}`,
    hint: `Correct \`parts.${part.name}\` of ${app.name} in dag.yaml.`,
  };
}

function evidence({ seen, objects, operation }: Look, refreshedAt: string): Evidence {
  const ours =
    operation?.ended === 'succeeded' ? { operationId: operation.operationId, operationPhase: 'Succeeded' } : {};
  const revision = seen.sync.revision === undefined ? {} : { revision: seen.sync.revision };
  return { ...ours, ...revision, refreshedAt, sync: 'Synced', resources: objects.length };
}

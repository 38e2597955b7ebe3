import type { ObservedApplication } from '../core/plan/observed.ts';
import { partResources } from '../core/plan/plan-deploy.ts';
import { partOf } from '../core/platform/node-name.ts';
import type { App, Environment, Part } from '../core/platform/platform.ts';
import type { Evidence } from '../core/run/evidence.ts';
import { barrier } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import { follow, type OperationResult, operate } from './operation.ts';
import type { Parents } from './parents.ts';
import { passGate } from './pass-gate.ts';
import type { World } from './ports.ts';

/** How one attempt at a node ended. Only `failed` is worth another attempt. */
export type StepResult =
  | { readonly result: 'healthy'; readonly evidence: Evidence }
  | { readonly result: 'failed' | 'timed-out'; readonly because: string; readonly hint: string };

export interface StepOrder {
  readonly node: string;
  readonly app: App;
  readonly environment: Environment;
  readonly runId: string;
  readonly parents: Parents;
  /** False on the first attempt: what an earlier run has synced already is not synced again, only awaited. */
  readonly again: boolean;
}

/** One node, once: make it exist, sync it, wait for the operation, compare afresh, pass the gate. Safe to run twice. */
export async function nodeStep(world: World, emit: Emit, order: StepOrder, signal: AbortSignal): Promise<StepResult> {
  const syncDeadline = world.clock.now() + order.app.timeouts.syncMs;
  const missing = await order.parents.ensure(order.app.application, syncDeadline, signal);
  if (missing !== undefined) return { result: 'failed', ...missing };
  const part = partOf(order.node);
  if (part !== undefined)
    return partStep(world, emit, { ...order, part: order.app.parts.get(part) as Part, deadline: syncDeadline }, signal);

  const operation = await adoptOrOperate(world, emit, { ...order, deadline: syncDeadline }, signal);
  if (operation !== undefined && operation.ended !== 'succeeded') return failure(operation);
  const gate = await passGate(
    world,
    emit,
    {
      node: order.node,
      app: order.app,
      environment: order.environment,
      operationId: operation?.operationId,
      revision: operation?.revision,
      deadline: world.clock.now() + order.app.timeouts.healthMs,
    },
    signal,
  );
  if (gate.passed) return { result: 'healthy', evidence: gate.evidence };
  return { result: gate.timedOut ? 'timed-out' : 'failed', because: gate.because, hint: gate.hint };
}

/** Redoes nothing (R2.3): an operation of ours that runs is followed, one that has done its work is not repeated. */
async function adoptOrOperate(
  world: World,
  emit: Emit,
  order: StepOrder & { readonly deadline: number },
  signal: AbortSignal,
): Promise<OperationResult | undefined> {
  const seen = world.argocd.application(order.app.application);
  const target = { node: order.node, application: order.app.application, runId: order.runId, deadline: order.deadline };
  const running = seen?.operation;
  if (running?.step?.startsWith(`${order.node}/`) === true && !running.selective) {
    return follow(world, emit, { ...target, operationId: running.step }, signal);
  }
  if (!order.again && seen !== undefined && (await alreadySynced(world, order, seen, signal))) return undefined;
  return operate(world, emit, target, signal);
}

/** Synced (or, where that never comes, synced as a whole at this revision) in a comparison made now: only health is missing. */
async function alreadySynced(
  world: World,
  order: StepOrder & { readonly deadline: number },
  seen: ObservedApplication,
  signal: AbortSignal,
): Promise<boolean> {
  if (seen.lastOperation?.phase !== 'Succeeded' || seen.lastOperation.selective || seen.operation !== undefined)
    return false;
  const answer = await barrier(world, order.app.application, order.deadline, signal);
  const now = world.argocd.application(order.app.application);
  if (!('refreshedAt' in answer) || now === undefined || now.operation !== undefined) return false;
  return order.app.settles ? now.sync.status === 'Synced' : now.history.at(-1)?.revision === now.sync.revision;
}

/** Syncs just the objects of one part, and waits until they are Synced. Their health is that of being there. */
async function partStep(
  world: World,
  emit: Emit,
  order: StepOrder & { readonly part: Part; readonly deadline: number },
  signal: AbortSignal,
): Promise<StepResult> {
  const application = order.app.application;
  let synced: OperationResult | undefined;
  for (;;) {
    const answer = await barrier(world, application, order.deadline, signal);
    const seen = world.argocd.application(application);
    if (seen === undefined)
      return { result: 'failed', because: `Application ${application} disappeared`, hint: 'Something deleted it.' };
    const objects = partResources(order.part, seen.resources);
    const open = objects.filter((object) => object.sync !== 'Synced');
    if (objects.length > 0 && open.length === 0 && 'refreshedAt' in answer && seen.operation === undefined) {
      return { result: 'healthy', evidence: partEvidence(seen, objects.length, answer.refreshedAt, synced) };
    }
    if (world.clock.now() >= order.deadline) {
      return {
        result: 'timed-out',
        because: `timed out waiting for the part’s ${objects.length} objects to be Synced`,
        hint: `Look at ${application} in Argo CD.`,
      };
    }
    if (objects.length === 0 && 'refreshedAt' in answer) {
      return {
        result: 'failed',
        because: `Application ${application} has no ${order.part.kinds.join(' or ')}`,
        hint: `Correct \`parts.${order.part.name}\` of ${order.app.name} in dag.yaml.`,
      };
    }
    if (synced === undefined) {
      synced = await operate(
        world,
        emit,
        { node: order.node, application, runId: order.runId, deadline: order.deadline, resources: open },
        signal,
      );
      if (synced.ended !== 'succeeded') return failure(synced);
    } else {
      await world.argocd.changed(application, Math.min(order.deadline, world.clock.now() + 2_000), signal);
    }
  }
}

function partEvidence(
  seen: ObservedApplication,
  resources: number,
  refreshedAt: string,
  operation: OperationResult | undefined,
): Evidence {
  return {
    ...(operation?.ended === 'succeeded' ? { operationId: operation.operationId, operationPhase: 'Succeeded' } : {}),
    ...(seen.sync.revision === undefined ? {} : { revision: seen.sync.revision }),
    refreshedAt,
    sync: 'Synced',
    resources,
  };
}

function failure(operation: Exclude<OperationResult, { ended: 'succeeded' }>): StepResult {
  return {
    result: operation.ended === 'timed-out' ? 'timed-out' : 'failed',
    because: operation.because,
    hint: operation.hint,
  };
}

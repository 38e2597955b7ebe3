import type { ObservedApplication } from '../core/plan/observed.ts';
import { partOf } from '../core/platform/node-name.ts';
import type { Part } from '../core/platform/platform.ts';
import { barrier } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import { follow, type OperationResult, operate } from './operation.ts';
import { partStep } from './part-step.ts';
import { passGate } from './pass-gate.ts';
import type { World } from './ports.ts';
import { failedStep, type StepOrder, type StepResult } from './step-result.ts';

/** One node whose Application is there, once: sync it, wait for the operation, compare afresh, pass the gate. Safe to run twice. */
export async function nodeStep(world: World, emit: Emit, order: StepOrder, signal: AbortSignal): Promise<StepResult> {
  const syncDeadline = world.clock.now() + order.app.timeouts.syncMs;
  const part = partOf(order.node);
  if (part !== undefined)
    return partStep(world, emit, { ...order, part: order.app.parts.get(part) as Part, deadline: syncDeadline }, signal);

  const operation = await adoptOrOperate(world, emit, { ...order, deadline: syncDeadline }, signal);
  if (operation !== undefined && operation.ended !== 'succeeded') return failedStep(operation);
  order.onSynced?.();
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
  const { node, runId, deadline } = order;
  const target = { node, application: order.app.application, runId, deadline };
  const operationId = ownUnderWay(seen, order.node);
  if (operationId !== undefined) return follow(world, emit, { ...target, operationId }, signal);
  if (!order.again && seen !== undefined && (await alreadySynced(world, order, seen, signal))) return undefined;
  const { stillWanted } = order;
  return operate(world, emit, { ...target, ...(stillWanted && { stillWanted }) }, signal);
}

/** One that is being ended does nothing more: it is waited for, and then asked for again. */
function ownUnderWay(seen: ObservedApplication | undefined, node: string): string | undefined {
  if (seen?.operation === undefined || seen.lastOperation?.phase === 'Terminating') return undefined;
  const { step, selective } = seen.operation;
  return step?.startsWith(`${node}/`) === true && !selective ? step : undefined;
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

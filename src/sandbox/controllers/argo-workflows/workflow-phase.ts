import { timestamp } from '../../store/store.ts';
import { announce } from './events.ts';
import type { Operation } from './operation.ts';
import { type Condition, completedLabel } from './workflow.ts';

/** Gives the Workflow its phase and message, with the labels, times and Events that go with it. */
export function markWorkflow(operation: Operation, phase: string, message = ''): void {
  const { status, labels, context } = operation;
  const now = timestamp(context.time.now());
  if (status.phase !== phase) {
    operation.updated = true;
    status.phase = phase;
    labels[completedLabel] = 'false';
    labels['workflows.argoproj.io/phase'] = phase;
    announcePhase(operation, phase, message);
  }
  status.startedAt ??= phase === 'Pending' ? null : now;
  status.finishedAt ??= null;
  setMessage(operation, message);
  if (!lastPhases.has(phase)) return;
  status.finishedAt = now;
  labels[completedLabel] = 'true';
  setCondition(operation, { type: 'Completed', status: 'True' });
}

export function setCondition({ status }: Operation, condition: Condition): void {
  const all = status.conditions ?? [];
  const at = all.findIndex(({ type }) => type === condition.type);
  status.conditions = at < 0 ? [...all, condition] : all.with(at, condition);
}

const lastPhases = new Set(['Succeeded', 'Failed', 'Error']);

function setMessage(operation: Operation, message: string): void {
  const { status } = operation;
  if ((status.message ?? '') === message) return;
  operation.updated = true;
  if (message === '') delete status.message;
  else status.message = message;
}

function announcePhase(operation: Operation, phase: string, message: string): void {
  if (phase === 'Running')
    announce(operation, { type: 'Normal', reason: 'WorkflowRunning', message: 'Workflow Running' });
  if (phase === 'Succeeded') {
    announce(operation, { type: 'Normal', reason: 'WorkflowSucceeded', message: 'Workflow completed' });
  }
  if (phase === 'Failed' || phase === 'Error')
    announce(operation, { type: 'Warning', reason: 'WorkflowFailed', message });
}

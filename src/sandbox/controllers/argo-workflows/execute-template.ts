import { durationMs } from './durations.ts';
import { executeDag } from './execute-dag.ts';
import { executePod } from './execute-pod.ts';
import { executeSteps } from './execute-steps.ts';
import { fillTemplate } from './fill-template.ts';
import { isFulfilled } from './node-phases.ts';
import { addChild, addNode, findNode, markNode, type NewNode, setNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import { lastAttempt, reviewAttempts } from './retry.ts';
import { substitute } from './substitution.ts';
import type { Execution, TemplateCall } from './template-call.ts';
import { resolveTemplate, scopeText, TemplateError } from './template-scope.ts';
import type { NodeStatus, Template } from './workflow.ts';

/** Brings one node forward: makes it when it is not there, and looks after what is below it. Throws a TemplateError after it marked the node. */
export function executeTemplate(operation: Operation, call: TemplateCall): NodeStatus {
  const execution = prepared(operation, call);
  const node = findNode(operation, call.nodeName);
  if (node !== undefined) {
    if (isFulfilled(node)) return node;
    const late = checkTimeout(operation, execution.template, node);
    if (late !== undefined) return late;
  }
  return execution.template.retryStrategy === undefined
    ? executeOnce(operation, execution)
    : executeWithRetries(operation, execution, node);
}

function prepared(operation: Operation, call: TemplateCall): Execution {
  try {
    const { template, scope } = resolveTemplate(operation, call.scope, call.caller);
    const local = {
      'node.name': call.nodeName,
      'tasks.name': call.caller.name ?? '',
      'steps.name': call.caller.name ?? '',
    };
    return { call, scope, template: fillTemplate(operation, template, { args: call.args, local }) };
  } catch (error) {
    if (error instanceof TemplateError) markError(operation, call, error.message);
    throw error;
  }
}

function markError(operation: Operation, call: TemplateCall, message: string): void {
  const node = findNode(operation, call.nodeName);
  if (node === undefined) addNode(operation, { ...newNode(call), type: 'Skipped', phase: 'Error', message });
  else markNode(operation, node, 'Error', message);
}

function newNode({ nodeName, caller, scope, boundaryId, flag }: TemplateCall): Omit<NewNode, 'type' | 'phase'> {
  return {
    name: nodeName,
    caller,
    scope: scopeText(scope),
    boundaryId,
    ...(flag === undefined ? {} : { flag }),
  };
}

/** A template's timeout counts only while the node is Pending; all the same it brings the controller back. */
function checkTimeout(operation: Operation, { timeout }: Template, node: NodeStatus): NodeStatus | undefined {
  if (timeout === undefined || timeout === '') return undefined;
  const leftMs = Date.parse(node.startedAt) + durationMs(timeout) - operation.context.time.now();
  if (leftMs > 0) operation.requeueAfter(leftMs);
  else if (node.phase === 'Pending') return markNode(operation, node, 'Failed', 'timeout');
  return undefined;
}

function executeOnce(operation: Operation, execution: Execution): NodeStatus {
  const { call, template } = execution;
  const existing = findNode(operation, call.nodeName);
  const start = (type: string, phase: 'Pending' | 'Running'): NodeStatus =>
    existing ?? addNode(operation, { ...newNode(call), type, phase, inputs: template.inputs });
  if (template.dag !== undefined) return executeDag(operation, execution, start('DAG', 'Running'), executeTemplate);
  if (template.steps !== undefined)
    return executeSteps(operation, execution, start('Steps', 'Running'), executeTemplate);
  if (template.suspend !== undefined) return executeSuspend(operation, template, start('Suspend', 'Running'));
  if (template.plugin !== undefined) {
    const node = start('Plugin', 'Pending');
    if (!isFulfilled(node)) operation.tasks.set(node.id, template);
    return node;
  }
  if (template['container'] !== undefined || template['script'] !== undefined) {
    return executePod(operation, execution, start('Pod', 'Pending'));
  }
  const message = `template '${template.name}' type is unknown`;
  markError(operation, call, message);
  throw new TemplateError(message);
}

/** A gate that somebody opens, or time. */
function executeSuspend(operation: Operation, { suspend }: Template, node: NodeStatus): NodeStatus {
  if (suspend?.duration === undefined || suspend.duration === '') return node;
  const leftMs = Date.parse(node.startedAt) + durationMs(suspend.duration) - operation.context.time.now();
  if (leftMs <= 0) return markNode(operation, node, 'Succeeded');
  operation.requeueAfter(leftMs);
  return node;
}

function executeWithRetries(operation: Operation, execution: Execution, existing: NodeStatus | undefined): NodeStatus {
  const { call, template } = execution;
  const inputs = template.inputs;
  const parent = existing ?? addNode(operation, { ...newNode(call), type: 'Retry', phase: 'Running', inputs });
  const verdict = reviewAttempts(operation, parent, template.retryStrategy ?? {});
  const reviewed = current(operation, parent);
  if (verdict === 'wait') return reviewed;
  const last = lastAttempt(operation, reviewed);
  if (isFulfilled(reviewed)) return withOutputsOf(operation, reviewed, last);
  executeAttempt(operation, execution, { parent: reviewed, last });
  return current(operation, parent);
}

/** Goes on with the latest attempt, or begins the next one. */
function executeAttempt(
  operation: Operation,
  execution: Execution,
  { parent, last }: { parent: NodeStatus; last: NodeStatus | undefined },
): void {
  const isUnderWay = last !== undefined && !isFulfilled(last);
  const number = (parent.children?.length ?? 0) - (isUnderWay ? 1 : 0);
  const nodeName = isUnderWay ? last.name : `${parent.name}(${number})`;
  if (!isUnderWay) addChild(operation, parent.id, nodeName);
  const { call } = execution;
  executeOnce(operation, {
    ...execution,
    template: substitute(execution.template, (name) => (name === 'retries' ? String(number) : undefined)),
    call: { ...call, nodeName, flag: { ...call.flag, retried: true } },
  });
}

function current({ nodes }: Operation, node: NodeStatus): NodeStatus {
  return nodes.get(node.id) ?? node;
}

function withOutputsOf(operation: Operation, node: NodeStatus, last: NodeStatus | undefined): NodeStatus {
  if (last?.outputs === undefined || node.outputs === last.outputs) return node;
  return setNode(operation, { ...node, outputs: last.outputs });
}

import { globalValue } from './fill-template.ts';
import { hasFailed, isFulfilled } from './node-phases.ts';
import { addChild, addNode, findNode, markNode, outboundNodes, setNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import { outputLookup } from './outputs.ts';
import { leftOver, substitute } from './substitution.ts';
import type { ExecuteTemplate, Execution } from './template-call.ts';
import { scopeText, TemplateError } from './template-scope.ts';
import { isWhenMet } from './when-expression.ts';
import type { NodeStatus, Step } from './workflow.ts';

/** One group of steps after the other; those of a group side by side. */
export function executeSteps(
  operation: Operation,
  execution: Execution,
  node: NodeStatus,
  execute: ExecuteTemplate,
): NodeStatus {
  const run: Run = { operation, execution, node, execute, places: new Map() };
  const current = (): NodeStatus => operation.nodes.get(node.id) ?? node;
  let previous: NodeStatus | undefined;
  for (const [index, steps] of (execution.template.steps ?? []).entries()) {
    const group = executeGroup(run, { name: `${node.name}[${index}]`, steps, previous });
    if (!isFulfilled(group)) return current();
    if (hasFailed(group)) return markNode(operation, current(), group.phase, group.message);
    previous = group;
  }
  const outbound = previous === undefined ? [] : groupEnds(operation, previous);
  return markNode(operation, setNode(operation, { ...current(), outboundNodes: outbound }), 'Succeeded');
}

interface Run {
  readonly operation: Operation;
  readonly execution: Execution;
  readonly node: NodeStatus;
  readonly execute: ExecuteTemplate;
  /** The node of each step by the step's name. */
  readonly places: Map<string, string>;
}

interface Group {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly previous: NodeStatus | undefined;
}

function executeGroup(run: Run, { name, steps, previous }: Group): NodeStatus {
  const { operation, execution, node } = run;
  const scope = scopeText(execution.scope);
  const caller = execution.call.caller;
  const group =
    findNode(operation, name) ??
    addNode(operation, { name, type: 'StepGroup', phase: 'Running', caller, scope, boundaryId: node.id, flag: {} });
  const parents = previous === undefined ? [node.id] : groupEnds(operation, previous);
  for (const parent of parents) addChild(operation, parent, name);
  for (const step of steps) run.places.set(step.name, `${name}.${step.name}`);
  if (isFulfilled(group)) return group;
  const children = steps.map((step) => executeStep(run, group, step));
  const current = operation.nodes.get(group.id) ?? group;
  if (!children.every((child) => child !== undefined && isFulfilled(child))) return current;
  const failed = children.find((child) => child !== undefined && hasFailed(child));
  return failed === undefined
    ? markNode(operation, current, 'Succeeded')
    : markNode(operation, current, failed.phase, `child '${failed.id}' failed`);
}

function executeStep(run: Run, group: NodeStatus, step: Step): NodeStatus | undefined {
  const { operation, execution, node, execute, places } = run;
  const nodeName = `${group.name}.${step.name}`;
  const outputs = outputLookup('steps', (name) => findNode(operation, places.get(name) ?? ''));
  const resolved = substitute(step, (name) => outputs(name) ?? globalValue(operation, name));
  if (leftOver(resolved, ['steps.']) !== undefined) {
    operation.requeueAfter(operation.context.requeueMs);
    return undefined;
  }
  const existing = findNode(operation, nodeName);
  const boundaryId = node.id;
  if (existing === undefined && !isWhenMet(resolved.when)) {
    const message = `when '${resolved.when}' evaluated false`;
    const place = { name: nodeName, caller: step, scope: scopeText(execution.scope), boundaryId };
    addNode(operation, { ...place, type: 'Skipped', phase: 'Skipped', flag: {}, message });
  } else {
    try {
      const isExitHandler = execution.call.isExitHandler === true;
      const args = resolved.arguments ?? {};
      execute(operation, { nodeName, caller: resolved, scope: execution.scope, args, boundaryId, isExitHandler });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
    }
  }
  addChild(operation, group.id, nodeName);
  return findNode(operation, nodeName);
}

function groupEnds(operation: Operation, group: NodeStatus): readonly string[] {
  return (group.children ?? []).flatMap((id) => {
    const child = operation.nodes.get(id);
    return child === undefined ? [] : outboundNodes(child);
  });
}

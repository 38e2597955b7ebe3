import { assessDag } from './assess-dag.ts';
import { type Dag, readDag } from './dag.ts';
import { isMet } from './depends-expression.ts';
import { globalValue } from './fill-template.ts';
import { isFulfilled } from './node-phases.ts';
import { addChild, addNode, findNode, markNode, outboundNodes, setNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import { outputLookup } from './outputs.ts';
import { stoppedMessage } from './shutdown.ts';
import { leftOver, substitute } from './substitution.ts';
import type { ExecuteTemplate, Execution } from './template-call.ts';
import { scopeText, TemplateError } from './template-scope.ts';
import { isWhenMet } from './when-expression.ts';
import type { DagTask, NodePhase, NodeStatus } from './workflow.ts';

/** Starts the tasks whose time has come and judges the whole. */
export function executeDag(
  operation: Operation,
  execution: Execution,
  node: NodeStatus,
  execute: ExecuteTemplate,
): NodeStatus {
  const dag = readDag(execution.template, node);
  const walk: Walk = { operation, execution, dag, execute, visited: new Set() };
  for (const target of dag.targets) executeTask(walk, target);
  const isStopped = stoppedMessage(operation) !== undefined && execution.call.isExitHandler !== true;
  const phase = isStopped ? 'Failed' : assessDag(operation, dag);
  if (phase === 'Running') return operation.nodes.get(node.id) ?? node;
  const outbound = dag.targets.flatMap((target) => {
    const found = findNode(operation, dag.nodeName(target));
    return found === undefined ? [] : outboundNodes(found);
  });
  const current = operation.nodes.get(node.id) ?? node;
  return markNode(operation, setNode(operation, { ...current, outboundNodes: outbound }), phase);
}

interface Walk {
  readonly operation: Operation;
  readonly execution: Execution;
  readonly dag: Dag;
  readonly execute: ExecuteTemplate;
  readonly visited: Set<string>;
}

function executeTask(walk: Walk, name: string): void {
  const { operation, dag, visited } = walk;
  if (visited.has(name)) return;
  visited.add(name);
  const task = dag.task(name);
  const node = findNode(operation, dag.nodeName(name));
  if (node !== undefined && isFulfilled(node)) return;
  const needed = dag.needs(name);
  for (const other of needed) executeTask(walk, other);
  if (node === undefined && needed.length > 0) {
    const results = needed.map((other) => findNode(operation, dag.nodeName(other)));
    if (results.some((result) => result === undefined || !isFulfilled(result))) return;
    if (!isDue(walk, name)) {
      addSkipped(walk, task, 'Omitted', 'omitted: depends condition not met');
      return;
    }
  }
  startTask(walk, task);
}

function isDue({ operation, dag }: Walk, name: string): boolean {
  const depends = dag.depends(name);
  return depends === undefined || isMet(depends, (other) => resultName(findNode(operation, dag.nodeName(other))));
}

/** A phase in the words of `depends`. */
function resultName(node: NodeStatus | undefined): string | undefined {
  return node?.phase === 'Error' ? 'Errored' : node?.phase;
}

function startTask(walk: Walk, task: DagTask): void {
  const { operation, execution, dag, execute } = walk;
  const nodeName = dag.nodeName(task.name);
  const resolved = resolvedTask(walk, task);
  if (resolved === undefined) {
    operation.requeueAfter(operation.context.requeueMs);
    return;
  }
  if (findNode(operation, nodeName) === undefined) {
    connect(walk, task.name);
    if (!isWhenMet(resolved.when)) {
      addSkipped(walk, task, 'Skipped', `when '${resolved.when}' evaluated false`);
      return;
    }
  }
  try {
    execute(operation, {
      nodeName,
      caller: resolved,
      scope: execution.scope,
      args: resolved.arguments ?? {},
      boundaryId: dag.boundary.id,
      isExitHandler: execution.call.isExitHandler === true,
    });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const failed = findNode(operation, nodeName);
    if (failed !== undefined) markNode(operation, failed, 'Error', `task '${nodeName}' errored: ${error.message}`);
  }
}

/** The task with the results of others filled in; undefined when one is missing. Then the real controller tries again for ever. */
function resolvedTask({ operation, dag }: Walk, task: DagTask): DagTask | undefined {
  const outputs = outputLookup('tasks', (name) => findNode(operation, dag.nodeName(name)));
  const lookup = (name: string): string | undefined => outputs(name) ?? globalValue(operation, name);
  const when = substitute(task.when, lookup);
  if (leftOver(when, ['tasks.']) !== undefined) return undefined;
  if (when !== undefined && !isWhenMet(when)) return { ...task, when };
  const resolved = substitute(task, lookup);
  return leftOver(resolved, ['tasks.']) === undefined ? resolved : undefined;
}

function addSkipped(walk: Walk, task: DagTask, phase: NodePhase, message: string): void {
  const { operation, execution, dag } = walk;
  const name = dag.nodeName(task.name);
  const place = { caller: task, scope: scopeText(execution.scope), boundaryId: dag.boundary.id };
  addNode(operation, { name, type: 'Skipped', phase, message, flag: {}, ...place });
  connect(walk, task.name);
}

/** Hangs a node below those after which it comes. */
function connect({ operation, dag }: Walk, name: string): void {
  const needed = dag.needs(name);
  if (needed.length === 0) addChild(operation, dag.boundary.id, dag.nodeName(name));
  for (const other of needed) {
    const node = findNode(operation, dag.nodeName(other));
    for (const id of node === undefined ? [] : outboundNodes(node)) {
      addChild(operation, id, dag.nodeName(name));
    }
  }
}

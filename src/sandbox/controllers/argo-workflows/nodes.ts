import { timestamp } from '../../store/store.ts';
import { nodeId } from './node-id.ts';
import { isFulfilled } from './node-phases.ts';
import type { Operation } from './operation.ts';
import type { Arguments, NodePhase, NodeStatus, TemplateCaller } from './workflow.ts';

export interface NewNode {
  readonly name: string;
  readonly type: string;
  readonly phase: NodePhase;
  readonly caller: TemplateCaller;
  readonly scope: string;
  readonly boundaryId?: string | undefined;
  readonly flag?: NodeStatus['nodeFlag'];
  readonly message?: string;
  readonly inputs?: Arguments | undefined;
}

export function findNode({ workflow, nodes }: Operation, name: string): NodeStatus | undefined {
  return nodes.get(nodeId(workflow.metadata.name, name));
}

/** Adds a node to the status. */
export function addNode(operation: Operation, wanted: NewNode): NodeStatus {
  const { name, type, phase, caller, boundaryId, flag, message, inputs } = wanted;
  const startedAt = timestamp(operation.context.time.now());
  const node: NodeStatus = {
    id: nodeId(operation.workflow.metadata.name, name),
    name,
    displayName: displayName(operation, wanted),
    type,
    phase,
    templateScope: wanted.scope,
    startedAt,
    finishedAt: isFulfilled({ phase }) ? startedAt : null,
    ...(caller.templateRef === undefined ? templateName(caller) : { templateRef: caller.templateRef }),
    ...(boundaryId === undefined ? {} : { boundaryID: boundaryId }),
    ...(flag === undefined ? {} : { nodeFlag: flag }),
    ...(message === undefined ? {} : { message }),
    ...(inputs?.parameters === undefined ? {} : { inputs }),
  };
  return setNode(operation, node);
}

export function setNode(operation: Operation, node: NodeStatus): NodeStatus {
  operation.nodes.set(node.id, node);
  operation.updated = true;
  return node;
}

/** Gives a node its phase and, unless it is undefined, its message; an empty message takes the old one away. */
export function markNode(operation: Operation, node: NodeStatus, phase: NodePhase, message?: string): NodeStatus {
  const { message: old = '', ...rest } = node;
  const said = message ?? old;
  const ends = isFulfilled({ phase }) && node.finishedAt === null;
  if (node.phase === phase && said === old && !ends) return node;
  return setNode(operation, {
    ...rest,
    phase,
    ...(said === '' ? {} : { message: said }),
    ...(ends ? { finishedAt: timestamp(operation.context.time.now()) } : {}),
  });
}

export function addChild(operation: Operation, parentId: string, childName: string): void {
  const parent = operation.nodes.get(parentId);
  const child = nodeId(operation.workflow.metadata.name, childName);
  if (parent === undefined || parent.children?.includes(child) === true) return;
  setNode(operation, { ...parent, children: [...(parent.children ?? []), child] });
}

/** The nodes from which one goes on after this one. */
export function outboundNodes(node: NodeStatus): readonly string[] {
  if (node.type === 'Retry') return node.children?.slice(-1) ?? [];
  if (node.type === 'DAG' || node.type === 'Steps') return node.outboundNodes ?? [];
  return [node.id];
}

/** Does the node belong to the exit handler? */
export function isOfExitHandler(operation: Operation, node: NodeStatus): boolean {
  for (let current: NodeStatus | undefined = node; current !== undefined; ) {
    if (current.displayName.endsWith('.onExit')) return true;
    current = current.boundaryID === undefined ? undefined : operation.nodes.get(current.boundaryID);
  }
  return false;
}

function templateName({ template }: TemplateCaller): { templateName?: string } {
  return template === undefined ? {} : { templateName: template };
}

function displayName({ nodes }: Operation, { name, boundaryId }: NewNode): string {
  const boundary = boundaryId === undefined ? undefined : nodes.get(boundaryId);
  if (boundary === undefined || !name.startsWith(boundary.name)) return name;
  return name.slice(boundary.name.length).replace(/^(\[\d+\])?\./, '');
}

import type { KubeObject, ResourceType } from '../../store/objects.ts';
import { isFulfilled } from './node-phases.ts';
import { markNode, setNode } from './nodes.ts';
import { type Operation, workflowController } from './operation.ts';
import { mayExecute } from './shutdown.ts';
import type { Execution } from './template-call.ts';
import type { Arguments, NodePhase, NodeStatus } from './workflow.ts';

/** Makes the Pod of a node with a container or script; somebody else must run it. */
export function executePod(operation: Operation, { template, call }: Execution, node: NodeStatus): NodeStatus {
  const type = podType(operation);
  if (type === undefined || isFulfilled(node) || podOf(operation, node) !== undefined) return node;
  if (!mayExecute(operation, call.isExitHandler === true)) {
    return markNode(operation, node, 'Failed', `workflow shutdown with strategy:  ${operation.spec.shutdown}`);
  }
  const { metadata } = operation.workflow;
  const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name: metadata.name, uid: metadata.uid ?? '' };
  const main = template['container'] ?? template['script'];
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(operation, node),
      namespace: operation.context.namespace,
      labels: { [label('completed')]: 'false', [label('workflow')]: metadata.name },
      annotations: { [label('node-id')]: node.id, [label('node-name')]: node.name },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', ...(main as object) }] },
    status: { phase: 'Pending' },
  };
  operation.context.store.create(type, pod, workflowController);
  return node;
}

/** Takes over what has become of the Pods. */
export function reconcilePods(operation: Operation): void {
  for (const node of [...operation.nodes.values()]) {
    if (node.type !== 'Pod' || isFulfilled(node)) continue;
    const pod = podOf(operation, node);
    if (pod === undefined) {
      markNode(operation, node, 'Error', 'pod deleted');
      continue;
    }
    const { phase = 'Pending', message } = (pod['status'] ?? {}) as { phase?: NodePhase; message?: string };
    const outputs = reportedOutputs(operation, node);
    const current = outputs === undefined ? node : setNode(operation, { ...node, outputs });
    markNode(operation, current, phase, message);
  }
}

/** The Workflow a Pod belongs to. */
export function workflowOfPod({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[label('workflow')];
}

const label = (name: string): string => `workflows.argoproj.io/${name}`;

function podType({ context }: Operation): ResourceType | undefined {
  return context.typeOf('v1', 'Pod');
}

function podOf(operation: Operation, node: NodeStatus): KubeObject | undefined {
  const type = podType(operation);
  const { store, namespace } = operation.context;
  return type === undefined ? undefined : store.get(type, namespace, podName(operation, node));
}

function podName({ workflow }: Operation, node: NodeStatus): string {
  const { name } = workflow.metadata;
  if (node.id === name) return name;
  const template = node.templateRef?.template ?? node.templateName ?? '';
  return `${name}-${template}${node.id.slice(name.length)}`;
}

function reportedOutputs({ context }: Operation, { id }: NodeStatus): Arguments | undefined {
  const type = context.typeOf('argoproj.io/v1alpha1', 'WorkflowTaskResult');
  const result = type === undefined ? undefined : context.store.get(type, context.namespace, id);
  return result?.['outputs'] as Arguments | undefined;
}

import { timestamp } from '../../store/store.ts';
import { isDone } from './node-phases.ts';
import { type Operation, workflowController } from './operation.ts';
import type { NodeStatus } from './workflow.ts';

interface Announcement {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Writes an Event about the Workflow. */
export function announce(operation: Operation, { type, reason, message, annotations }: Announcement): void {
  const { store, time, typeOf, namespace } = operation.context;
  const eventType = typeOf('v1', 'Event');
  if (eventType === undefined) return;
  const { name, uid, resourceVersion } = operation.workflow.metadata;
  const at = timestamp(time.now());
  // The next revision makes the name unique, and the same in every run of a seed.
  const suffix = (store.revision + 1).toString(16).padStart(16, '0');
  store.create(
    eventType,
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix}`, namespace, ...(annotations === undefined ? {} : { annotations }) },
      involvedObject: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name, namespace, uid, resourceVersion },
      type,
      reason,
      ...(message === '' ? {} : { message }),
      source: { component: workflowController },
      reportingComponent: workflowController,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    },
    workflowController,
  );
}

/** Writes the Events about nodes whose phase has changed. */
export function announceNodes(operation: Operation, before: Readonly<Record<string, NodeStatus>>): void {
  for (const node of operation.nodes.values()) {
    const old = before[node.id]?.phase;
    if (node.phase === 'Pending' || node.phase === 'Skipped' || node.phase === 'Omitted' || node.phase === old)
      continue;
    // One that was never seen running is said to have run first, with the message of its end.
    if ((old === undefined || old === 'Pending') && isDone(node)) announceNode(operation, node, 'Running');
    announceNode(operation, node, node.phase);
  }
}

function announceNode(operation: Operation, node: NodeStatus, phase: string): void {
  announce(operation, {
    type: phase === 'Failed' || phase === 'Error' ? 'Warning' : 'Normal',
    reason: `WorkflowNode${phase}`,
    message: `${phase} node ${node.name}${node.message === undefined ? '' : `: ${node.message}`}`,
    annotations: {
      'workflows.argoproj.io/node-id': node.id,
      'workflows.argoproj.io/node-name': node.name,
      'workflows.argoproj.io/node-type': node.type,
      'workflows.argoproj.io/node-start-time': `${Date.parse(node.startedAt)}000000`,
    },
  });
}

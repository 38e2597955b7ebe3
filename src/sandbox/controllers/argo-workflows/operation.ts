import type { Store } from '../../store/store.ts';
import type { SandboxTime } from '../../time.ts';
import type { KindLookup } from '../kind-lookup.ts';
import type { Mutexes } from './mutexes.ts';
import type { NodeStatus, Template, Workflow, WorkflowSpec, WorkflowStatus } from './workflow.ts';

/** The name under which the controller writes. */
export const workflowController = 'workflow-controller';

export interface WorkflowsContext {
  readonly store: Store;
  readonly time: SandboxTime;
  readonly typeOf: KindLookup;
  /** The namespace it looks after. */
  readonly namespace: string;
  /** How long after an event it reconciles. */
  readonly requeueMs: number;
}

/** One look at one Workflow: what was read, and what is to be written at the end. */
export interface Operation {
  readonly context: WorkflowsContext;
  readonly mutexes: Mutexes;
  /** As it was read. */
  readonly workflow: Workflow;
  /** What is executed: its own spec, or that of the template it refers to. */
  readonly spec: WorkflowSpec;
  readonly status: WorkflowStatus;
  readonly nodes: Map<string, NodeStatus>;
  /** What the agent shall do, by the node's id. */
  readonly tasks: Map<string, Template>;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  /** Values for `{{…}}` that only this look knows. */
  readonly variables: Map<string, string>;
  /** Without it nothing is written. */
  updated: boolean;
  /** Looks again after this time, unless something brings it back sooner. */
  requeueAfter(ms: number): void;
}

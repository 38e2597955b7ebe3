import { nodeOf } from './task-name.ts';

/** What we read of a Workflow. */
export interface WorkflowView {
  readonly name: string;
  readonly namespace: string;
  /** Which state of it this is. */
  readonly version: string;
  readonly phase: string;
  readonly message: string;
  readonly createdAt: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** `Stop` or `Terminate`: somebody has ended it. */
  readonly shutdown: string | undefined;
  readonly isSuspended: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The document of the run as it travels. */
  readonly run: string | undefined;
  /** The Workflow that has the run, when it is not this one. */
  readonly partOf: string | undefined;
  /** By node of the plan. */
  readonly tasks: ReadonlyMap<string, TaskView>;
  readonly handOver: TaskView | undefined;
}

export interface TaskView {
  readonly phase: string;
  readonly message: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** What the step has written: see `readReport`. */
  readonly report: string | undefined;
}

/** A Workflow as the API server sends it, as far as it is looked at. */
export interface RawWorkflow {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly shutdown?: string;
    readonly suspend?: boolean;
    readonly activeDeadlineSeconds?: number;
    readonly arguments?: { readonly parameters?: readonly RawParameter[] };
  };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly startedAt?: string | null;
    readonly finishedAt?: string | null;
    readonly nodes?: RawNodes;
    readonly compressedNodes?: string;
    readonly offloadNodeStatusVersion?: string;
  };
}

interface RawParameter {
  readonly name: string;
  readonly value?: string;
}

export type RawNodes = Readonly<Record<string, RawNode>>;

interface RawNode {
  readonly id?: string;
  readonly name?: string;
  readonly displayName?: string;
  readonly type?: string;
  readonly phase?: string;
  readonly message?: string;
  readonly startedAt?: string | null;
  readonly finishedAt?: string | null;
  readonly children?: readonly string[];
  readonly outputs?: { readonly parameters?: readonly RawParameter[] };
}

/** `nodes`: of the status, unpacked where the controller has compressed them. */
export function viewWorkflow({ metadata, spec = {}, status = {} }: RawWorkflow, nodes: RawNodes): WorkflowView {
  const { phase = '', message = '' } = status;
  return {
    ...identity(metadata),
    phase,
    message,
    startedAt: status.startedAt ?? undefined,
    finishedAt: status.finishedAt ?? undefined,
    shutdown: spec.shutdown === '' ? undefined : spec.shutdown,
    isSuspended: spec.suspend === true,
    run: parameter(spec.arguments?.parameters, 'run'),
    partOf: parameter(spec.arguments?.parameters, 'part-of'),
    ...sorted(metadata.name, nodes),
  };
}

function identity({
  name,
  namespace = '',
  resourceVersion: version,
  creationTimestamp: createdAt = '',
  labels = {},
}: RawWorkflow['metadata']): Pick<WorkflowView, 'name' | 'namespace' | 'version' | 'createdAt' | 'labels'> {
  return { name, namespace, version, createdAt, labels };
}

/** Nothing more will happen to it by itself. */
export function isOver({ phase }: { readonly phase: string }): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

function sorted(workflow: string, nodes: RawNodes): Pick<WorkflowView, 'tasks' | 'handOver'> {
  const tasks = new Map<string, TaskView>();
  let handOver: TaskView | undefined;
  for (const node of Object.values(nodes)) {
    const name = node.name ?? '';
    if (name.startsWith(`${workflow}.onExit`)) {
      if (node.displayName === 'hand-over' && works(node)) handOver = viewTask(node, nodes);
    } else if (name.startsWith(`${workflow}.`) && !/[()[\]]/.test(name)) {
      tasks.set(nodeOf(name.slice(workflow.length + 1)), viewTask(node, nodes));
    }
  }
  return { tasks, handOver };
}

function works({ type }: RawNode): boolean {
  return type === 'Plugin' || type === 'Pod' || type === 'Retry';
}

function viewTask(node: RawNode, nodes: RawNodes): TaskView {
  // A task that was tried again hangs its attempts under itself, and may keep no output of its own.
  const attempts = node.type === 'Retry' ? (node.children ?? []).map((id) => nodes[id]) : [];
  const reports = [node, ...attempts.reverse()].map((each) => parameter(each?.outputs?.parameters, 'result'));
  return {
    phase: node.phase ?? '',
    message: node.message ?? '',
    startedAt: node.startedAt ?? undefined,
    finishedAt: node.finishedAt ?? undefined,
    report: reports.find((report) => report !== undefined && report !== ''),
  };
}

function parameter(parameters: readonly RawParameter[] | undefined, name: string): string | undefined {
  return parameters?.find((each) => each.name === name)?.value;
}

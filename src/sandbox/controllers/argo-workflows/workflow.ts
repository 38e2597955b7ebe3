import type { KubeObject } from '../../store/objects.ts';

/** The kinds of Argo Workflows as far as the controller reads them. */
export interface Workflow extends KubeObject {
  readonly spec: WorkflowSpec;
  readonly status?: WorkflowStatus;
}

export interface WorkflowSpec {
  readonly entrypoint?: string;
  readonly templates?: readonly Template[];
  readonly arguments?: Arguments;
  readonly onExit?: string;
  readonly suspend?: boolean;
  readonly shutdown?: string;
  readonly activeDeadlineSeconds?: number;
  readonly workflowTemplateRef?: { readonly name: string; readonly clusterScope?: boolean };
  readonly synchronization?: { readonly mutexes?: readonly { readonly name: string; readonly namespace?: string }[] };
  readonly [field: string]: unknown;
}

export interface Arguments {
  readonly parameters?: readonly Parameter[];
  readonly [field: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly value?: unknown;
  readonly default?: unknown;
  readonly [field: string]: unknown;
}

export interface TemplateRef {
  readonly name: string;
  readonly template: string;
  readonly clusterScope?: boolean;
}

/** Whoever calls a template: a task, a step, the entry point or the exit handler. */
export interface TemplateCaller {
  readonly name?: string;
  readonly template?: string;
  readonly templateRef?: TemplateRef;
  readonly arguments?: Arguments;
  readonly when?: string;
}

export interface DagTask extends TemplateCaller {
  readonly name: string;
  readonly dependencies?: readonly string[];
  readonly depends?: string;
}

export interface Step extends TemplateCaller {
  readonly name: string;
}

export interface RetryStrategy {
  readonly limit?: number | string;
  readonly retryPolicy?: string;
  readonly backoff?: {
    readonly duration?: string;
    readonly factor?: number | string;
    readonly cap?: string;
    readonly maxDuration?: string;
  };
}

export interface Template {
  readonly name: string;
  readonly inputs?: Arguments;
  readonly outputs?: Arguments;
  readonly dag?: { readonly tasks: readonly DagTask[]; readonly failFast?: boolean; readonly target?: string };
  readonly steps?: readonly (readonly Step[])[];
  readonly plugin?: object;
  readonly suspend?: { readonly duration?: string | number };
  readonly retryStrategy?: RetryStrategy;
  readonly timeout?: string;
  readonly [field: string]: unknown;
}

export type NodePhase = 'Pending' | 'Running' | 'Succeeded' | 'Skipped' | 'Failed' | 'Error' | 'Omitted';

export interface NodeStatus {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly phase: NodePhase;
  readonly templateName?: string;
  readonly templateRef?: TemplateRef;
  readonly templateScope: string;
  readonly boundaryID?: string;
  readonly nodeFlag?: { readonly hooked?: boolean; readonly retried?: boolean };
  readonly message?: string;
  readonly children?: readonly string[];
  readonly outboundNodes?: readonly string[];
  readonly inputs?: Arguments;
  readonly outputs?: Arguments;
  readonly progress?: string;
  readonly startedAt: string;
  /** As on the wire: null until it is known. */
  readonly finishedAt: string | null;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
}

interface MutexEntry {
  readonly holder: string;
  readonly mutex: string;
}

export interface MutexStatus {
  readonly holding?: readonly MutexEntry[];
  readonly waiting?: readonly MutexEntry[];
}

/** The controller changes its own copy while it reconciles. */
export interface WorkflowStatus {
  phase?: string;
  message?: string;
  progress?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  nodes?: Readonly<Record<string, NodeStatus>>;
  compressedNodes?: string;
  conditions?: readonly Condition[];
  storedTemplates?: Readonly<Record<string, Template>>;
  storedWorkflowTemplateSpec?: WorkflowSpec;
  synchronization?: { readonly mutex: MutexStatus };
  artifactGCStatus?: object;
  artifactRepositoryRef?: object;
}

export interface NodeResult {
  readonly phase: NodePhase;
  readonly message?: string;
  readonly outputs?: Arguments;
}

export interface WorkflowTaskSet extends KubeObject {
  readonly spec?: { readonly tasks?: Readonly<Record<string, Template>> };
  readonly status?: { readonly nodes?: Readonly<Record<string, NodeResult>> };
}

export const completedLabel = 'workflows.argoproj.io/completed';

export function isCompleted(object: KubeObject): boolean {
  return object.metadata.labels?.[completedLabel] === 'true';
}

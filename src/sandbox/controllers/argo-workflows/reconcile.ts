import { hydrated } from './compressed-nodes.ts';
import { reconcilePods } from './execute-pod.ts';
import { executeTemplate } from './execute-template.ts';
import { executedSpec } from './executed-spec.ts';
import { concludeWorkflow } from './exit-handler.ts';
import type { Mutexes } from './mutexes.ts';
import { isFulfilled } from './node-phases.ts';
import type { Operation, WorkflowsContext } from './operation.ts';
import { persist } from './persist.ts';
import { failAfterShutdownOrDeadline, stoppedMessage } from './shutdown.ts';
import { waitsForMutex } from './synchronization.ts';
import { reconcileTaskSet } from './task-set.ts';
import { localScope, TemplateError } from './template-scope.ts';
import { problemWith } from './validate-workflow.ts';
import { isCompleted, type Workflow, type WorkflowStatus } from './workflow.ts';
import { markWorkflow, setCondition } from './workflow-phase.ts';

export interface Surroundings {
  readonly context: WorkflowsContext;
  readonly mutexes: Mutexes;
  readonly requeueAfter: (ms: number) => void;
}

/** One look at a Workflow: brings it one step forward and writes what has changed. */
export function reconcile({ context, mutexes, requeueAfter }: Surroundings, workflow: Workflow): void {
  if (isCompleted(workflow)) return;
  // A flat copy is enough: what is in it is replaced, never changed.
  const status: WorkflowStatus = { ...workflow.status };
  const executed = executedSpec(context, workflow, status);
  const operation: Operation = {
    context,
    mutexes,
    workflow,
    spec: executed.kind === 'spec' ? executed.spec : workflow.spec,
    status,
    nodes: new Map(Object.entries(hydrated(status))),
    tasks: new Map(),
    labels: { ...workflow.metadata.labels },
    annotations: { ...workflow.metadata.annotations },
    variables: new Map(),
    updated: false,
    requeueAfter,
  };
  if (executed.kind === 'missing') markWorkflow(operation, 'Error', executed.message);
  else operateSafely(operation);
  persist(operation);
}

/** What nobody foresaw ends the Workflow and not the controller, as in the real one. */
function operateSafely(operation: Operation): void {
  try {
    operate(operation);
  } catch (error) {
    markWorkflow(operation, 'Error', error instanceof Error ? error.message : String(error));
  }
}

function operate(operation: Operation): void {
  const { context, workflow, status, spec } = operation;
  const isNew = status.phase === undefined || status.phase === '';
  if (isNew) {
    const problem = problemWith(context, spec, localScope(operation));
    if (problem !== undefined) {
      markWorkflow(operation, 'Failed', `invalid spec: ${problem}`);
      return;
    }
    introduce(operation);
  }
  if (waitsForMutex(operation)) return;
  if (isNew) {
    markWorkflow(operation, 'Running');
    operation.annotations['workflows.argoproj.io/pod-name-format'] = 'v2';
    if (spec.activeDeadlineSeconds !== undefined) operation.requeueAfter(spec.activeDeadlineSeconds * 1000);
  } else {
    reconcilePods(operation);
    setCondition(operation, { type: 'PodRunning', status: hasRunningPod(operation) ? 'True' : 'False' });
    failAfterShutdownOrDeadline(operation);
  }
  if (workflow.spec.suspend === true) return;
  if (status.phase === 'Pending') markWorkflow(operation, 'Running');
  executeEntryPoint(operation);
}

/** What the controller writes into every Workflow it has taken on. */
function introduce({ workflow, status, labels, annotations }: Operation): void {
  status.artifactGCStatus = { notSpecified: true };
  status.artifactRepositoryRef = { artifactRepository: {}, default: true };
  annotations['workflows.argoproj.io/trace-id'] = (workflow.metadata.uid ?? '').replaceAll('-', '');
  const ref = workflow.spec.workflowTemplateRef;
  if (ref === undefined) return;
  labels[`workflows.argoproj.io/${ref.clusterScope === true ? 'cluster-' : ''}workflow-template`] = ref.name;
}

function hasRunningPod({ nodes }: Operation): boolean {
  return [...nodes.values()].some(({ type, phase }) => type === 'Pod' && phase === 'Running');
}

function executeEntryPoint(operation: Operation): void {
  const { workflow, spec } = operation;
  try {
    const node = executeTemplate(operation, {
      nodeName: workflow.metadata.name,
      caller: { template: spec.entrypoint ?? '' },
      scope: localScope(operation),
      args: spec.arguments ?? {},
    });
    // The DAG was judged before the agent's results are taken over: that is why a hop takes two looks.
    if (stoppedMessage(operation) === undefined) reconcileTaskSet(operation);
    if (isFulfilled(node)) concludeWorkflow(operation, node, executeTemplate);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    markWorkflow(operation, 'Error', `error in entry template execution: ${error.message}`);
  }
}

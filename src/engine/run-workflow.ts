import { compileWorkflows, workflowName } from '../core/workflow/compile-workflow.ts';
import { type PlatformSource, writeRun } from '../core/workflow/run-document.ts';
import { tasksPerWorkflow } from '../core/workflow/workflow-parts.ts';
import { followWorkflow } from './follow-workflow.ts';
import type { World } from './ports.ts';
import type { Walk, WalkOrder } from './walk-plan.ts';

export interface WorkflowSettings {
  /** What travels with the Workflow, so that its steps read the same platform. */
  readonly source: PlatformSource;
  /** Return as soon as the Workflow is there. */
  readonly detach?: boolean;
  readonly traceparent?: string;
  /** Into one Workflow; as many as it can hold, unless told. */
  readonly mostTasks?: number;
}

/** The engine of a bootstrapped cluster: the plan becomes a Workflow, which does everything from here on, hand-over included. */
export async function runWorkflow(world: World, order: WalkOrder & WorkflowSettings, walk: Walk): Promise<void> {
  const { plan, states, control } = walk;
  const { platform, runId, source, traceparent, mostTasks = tasksPerWorkflow } = order;
  const name = workflowName(platform.name, runId);
  const document = writeRun({ runId, source, plan, order: order.order, parallelism: order.parallelism, mostTasks });
  const workflows = compileWorkflows({
    platform,
    plan,
    order: order.order,
    run: world.workflows.pack(document),
    name,
    runId,
    mostTasks,
    ...(traceparent === undefined ? {} : { traceparent }),
  });
  // The first one last: it has the run, and without it the others begin nothing.
  for (const workflow of workflows.toReversed()) await world.workflows.submit(workflow, control.stop);
  // The Workflow's steps keep the lease from now on; giving it back is for the last of them.
  control.leaveLease();
  const { workflowsNamespace: namespace } = platform.environment;
  control.emit({ type: 'workflow-submitted', namespace, name });
  if (order.detach === true) {
    control.emit({ type: 'run-detached', follow: 'tiphys attach' });
    return;
  }
  await followWorkflow(world, { name, namespace, plan, states, mostTasks }, control);
}

import type { Plan } from '../core/plan/plan.ts';
import type { NodeState } from '../core/run/run.ts';
import { type WorkflowTeller, workflowTeller } from '../core/workflow/workflow-events.ts';
import { partNames, workflowParts } from '../core/workflow/workflow-parts.ts';
import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import type { World } from './ports.ts';
import type { RunControl } from './run-control.ts';
import { silenceTeller, unseenMs } from './silence-teller.ts';
import { readWhole, wholeMoved } from './whole-workflow.ts';
import { workflowVerdict } from './workflow-verdict.ts';

export interface FollowOrder {
  readonly name: string;
  readonly namespace: string;
  readonly plan: Plan;
  /** As its Workflows were divided. */
  readonly mostTasks: number;
  /** What was decided before the Workflow began. */
  readonly states: ReadonlyMap<string, NodeState>;
  /** Somebody else's run is only watched: leaving it does not end it. */
  readonly isForeign?: boolean;
}

/** How long a Workflow that was stopped may take to end, its exit handler included. */
const stoppingMs = 60_000;

/** Follows a Workflow to its end and tells the run from its status. */
export async function followWorkflow(world: World, order: FollowOrder, control: RunControl): Promise<void> {
  const teller = workflowTeller(order.plan, order.states);
  const last = await untilOver(world, order, teller, control);
  if (last === undefined) return gone(order, control);
  if (order.isForeign === true && !isOver(last)) return;
  const verdict = workflowVerdict(order.plan, teller.states, last, control);
  control.emit({ type: 'run-finished', ...verdict });
}

async function untilOver(
  world: World,
  order: FollowOrder,
  teller: WorkflowTeller,
  control: RunControl,
): Promise<WorkflowView | undefined> {
  const names = partNames(order.name, workflowParts(order.plan, order.mostTasks).length);
  const patience = silenceTeller(world, order, control);
  // Following goes on after an interruption, until the Workflow has ended as it was asked to.
  const following = new AbortController();
  let stopsAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const whole = await readWhole(world, names, following.signal);
    if (whole === undefined) return undefined;
    const { view } = whole;
    for (const event of teller.tell(view)) control.emit(event);
    if (isOver(view) || world.clock.now() >= stopsAt) return view;
    await patience(view);
    if (control.stop.aborted) {
      if (order.isForeign === true) return view;
      if (stopsAt === Number.POSITIVE_INFINITY) {
        stopsAt = world.clock.now() + stoppingMs;
        await Promise.all(names.map((name) => world.workflows.stop(name, following.signal)));
      }
      await wholeMoved(world, whole, stopsAt, following.signal);
      continue;
    }
    await wholeMoved(world, whole, world.clock.now() + unseenMs, control.stop).catch(unlessStopped(control));
  }
}

function gone({ name, namespace }: FollowOrder, control: RunControl): void {
  control.emit({
    type: 'warning',
    message: `Workflow ${namespace}/${name} was deleted while it ran`,
    hint: 'What is not deployed is still held. Run the same command again: it plans the rest.',
  });
  control.emit({ type: 'run-finished', outcome: 'failed', exitCode: 1 });
}

function unlessStopped(control: RunControl): (error: unknown) => void {
  return (error) => {
    if (!control.stop.aborted) throw error;
  };
}

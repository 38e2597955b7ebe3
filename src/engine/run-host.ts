import type { Plan, Step } from '../core/plan/plan.ts';
import { appOf } from '../core/platform/node-name.ts';
import { parseDuration } from '../core/platform/parse-duration.ts';
import type { App, Platform } from '../core/platform/platform.ts';
import type { NodeState } from '../core/run/run.ts';
import type { RunDocument } from '../core/workflow/run-document.ts';
import { workflowTeller } from '../core/workflow/workflow-events.ts';
import { workflowParts } from '../core/workflow/workflow-parts.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import { attemptNode } from './attempt-node.ts';
import type { Emit } from './event-queue.ts';
import { handOver } from './hand-over.ts';
import { heldNow, toHold } from './held-applications.ts';
import { createHold, type Hold } from './hold.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { takeLease } from './kept-lease.ts';
import { OperatorError } from './operator-error.ts';
import { createParents, managingParents, type Parents } from './parents.ts';
import type { World } from './ports.ts';
import type { NeedsOrder } from './recheck-needs.ts';
import type { RunBoard } from './run-board.ts';
import { giveBack } from './run-control.ts';
import { countStates } from './run-plan.ts';
import { settle } from './settle.ts';
import { foreseeParents, hardNeedsOf } from './walk-plan.ts';

/** One run as its steps see it, in an agent or in a pod. */
export interface RunHost {
  /** Brings the parents of what the run will create in place, beside the first steps. Never fails. */
  foresee(signal: AbortSignal): Promise<void>;
  /** Brings one node to its end. `running`: it was interrupted. */
  step(node: string, inputs: StepInputs, tell: Emit, signal: AbortSignal): Promise<NodeState>;
  /** Releases what is well; false when anything of the plan is not. */
  handOver(view: () => Promise<WorkflowView | undefined>, tell: Emit, signal: AbortSignal): Promise<boolean>;
  /** `give`: the run is over, and its lease free for the next one. */
  close(lease: 'give' | 'leave'): Promise<void>;
}

/** What the task says about itself; it wins over the platform's files. */
export type StepInputs = Readonly<Record<string, string>>;

interface Shared extends RunOrder {
  readonly world: World;
  readonly hold: Hold;
  readonly parents: Parents;
  /** App → when its gate last opened on a fresh verdict, as far as this process has seen it. */
  readonly verified: NeedsOrder['verified'];
  readonly asking: NeedsOrder['asking'];
  readonly needsOf: (step: Step) => App[];
  /** Node → which of the run's Workflows has its task. */
  readonly partOf: ReadonlyMap<string, number>;
}

export interface RunOrder {
  readonly document: RunDocument;
  readonly platform: Platform;
  /** Where a run is spread over several Workflows: how the tasks of the others have ended. */
  readonly board: RunBoard | undefined;
  /** Asks for its Workflows: all stopped, over or gone, so that nobody will go on with it. */
  readonly isStopped: (signal: AbortSignal) => Promise<boolean>;
}

/** Takes up a run where it is: its lease, its hold, its Applications. Throws an OperatorError when it cannot be had. */
export async function openRun(
  world: World,
  order: RunOrder,
  lost: (message: string) => void,
  signal: AbortSignal,
): Promise<RunHost> {
  const { document, platform, board } = order;
  const { runId } = document;
  const own = await takeLease(world, runId, lost, signal);
  const hold = await takeUpHold(world, order, signal).catch(async (error: unknown) => {
    await own.letGo();
    throw error;
  });
  const parents = createParents(world, quiet, { platform, runId, hold });
  const shared: Shared = {
    ...order,
    world,
    hold,
    parents,
    verified: new Map(),
    asking: new Map(),
    needsOf: hardNeedsOf(platform),
    partOf: partOfNode(document),
  };
  const beside = besideHandOver(hold, async () => {
    await parents.settled();
    // Where the agent is ended, its successor goes on.
    if (!(signal.reason instanceof PassedOnError)) await settle(world, order, own.lost);
  });
  const close = async (lease: 'give' | 'leave', tell: Emit = quiet): Promise<void> => {
    await beside.end();
    await own.letGo();
    if (lease === 'give') await giveBack(world, { emit: tell }, runId);
  };
  return {
    async foresee(until) {
      // The parts of a divided run are served one by one, and one parent takes one operation at a time.
      if (board !== undefined) return;
      await beside.begin((over) =>
        foreseeParents(world, { parents, plan: document.plan, platform }, AbortSignal.any([until, over])),
      );
    },
    step: (node, inputs, tell, until) => beside.last(step(shared, { node, inputs, tell }, until)),
    async handOver(look, tell, until) {
      if (board !== undefined) {
        tell({ type: 'phase-started', phase: 'run', message: 'waiting for the other Workflows of this run' });
        await board.othersOver(signal);
      }
      const view = await look();
      if (view === undefined) throw new OperatorError('the Workflow is gone', { hint: 'Submit the plan again.' });
      await beside.end();
      const isComplete = await release(shared, { view, lost: own.lost, tell }, until);
      // Nothing of this run comes after it.
      await close('give', tell);
      return isComplete;
    },
    close,
  };
}

interface Beside {
  begin(work: (over: AbortSignal) => Promise<void>): Promise<void>;
  /** Is waited for, too: a stopped step has a last thing to do, and its Workflow may not wait for it. */
  last<T>(step: Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/** What goes on beside the hand-over: it ends before the hold is released or the lease is given back, and writes nothing behind them. */
function besideHandOver(hold: Hold, settleSyncs: () => Promise<void>): Beside {
  const over = new AbortController();
  const kept = hold.keep(over.signal);
  let begun: Promise<void> = Promise.resolve();
  let ended: Promise<void> | undefined;
  const steps = new Set<Promise<unknown>>();
  const end = async (): Promise<void> => {
    over.abort(new InterruptedError('the run is over'));
    await Promise.all([begun, kept]);
    await Promise.allSettled(steps);
    await settleSyncs();
    await hold.settled();
  };
  return {
    begin(work) {
      begun = work(over.signal);
      return begun;
    },
    last(step) {
      steps.add(step);
      void step.then(
        () => steps.delete(step),
        () => steps.delete(step),
      );
      return step;
    },
    end() {
      // Once: behind the hand-over there may be syncs of others.
      ended ??= end();
      return ended;
    },
  };
}

/** Whoever took a window away meanwhile must not have started anything by it. */
async function takeUpHold(world: World, { document, platform }: RunOrder, signal: AbortSignal): Promise<Hold> {
  const hold = createHold(world, quiet, heldNow(await world.argocd.observe(signal)));
  const names = toHold(platform, document.plan);
  await hold.add([...names, ...managingParents(world, platform, names)], signal);
  return hold;
}

/** What is told about the run as a whole is told by whoever follows the Workflow. */
const quiet: Emit = () => undefined;

async function step(
  shared: Shared,
  { node, inputs, tell }: { readonly node: string; readonly inputs: StepInputs; readonly tell: Emit },
  signal: AbortSignal,
): Promise<NodeState> {
  const { world, platform, document, hold, parents, verified } = shared;
  const planned = stepOf(document.plan, node);
  const known = platform.apps.get(appOf(node));
  if (planned === undefined || known === undefined) {
    throw new OperatorError(`${node} is not a step of run ${document.runId}`, { hint: 'Submit the plan again.' });
  }
  const app = withInputs(known, inputs);
  const failed = await failedElsewhere(shared, planned, tell, signal);
  if (failed !== undefined) {
    tell({ type: 'node-blocked', node, by: [failed] });
    return 'blocked';
  }
  return attemptNode(
    world,
    tell,
    {
      node,
      app,
      environment: platform.environment,
      runId: document.runId,
      parents,
      hold,
      needs: { hard: shared.needsOf(planned), verified, asking: shared.asking },
    },
    signal,
  );
}

/** What `depends` cannot say: needs whose tasks are in another Workflow of the run. Gives the first hard one that failed. */
async function failedElsewhere(
  { board, partOf, document }: Shared,
  step: Step,
  tell: Emit,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (board === undefined) return undefined;
  const before = [...step.after, ...(document.order === 'waves' ? waveBefore(document.plan, step) : [])];
  // What is in no part was skipped.
  const elsewhere = before.filter((need) => partOf.has(need) && partOf.get(need) !== partOf.get(step.node));
  // A task that says nothing is taken for one that nobody does, and ended at its deadline.
  if (elsewhere.length > 0) tell({ type: 'node-waiting', node: step.node, for: elsewhere.slice(0, 5) });
  for (const need of elsewhere) {
    const isGood = await board.ended(need, signal);
    if (!isGood && step.after.includes(need) && step.edges[need] !== 'soft') return need;
  }
  return undefined;
}

/** The steps of the last wave before this one that has something to do. */
function waveBefore(plan: Plan, step: Step): string[] {
  const earlier = plan.steps.filter(({ wave, action }) => wave < step.wave && action !== 'skip');
  const last = Math.max(...earlier.map(({ wave }) => wave));
  return earlier.filter(({ wave }) => wave === last).map(({ node }) => node);
}

function partOfNode({ plan, mostTasks }: RunDocument): ReadonlyMap<string, number> {
  return new Map(
    workflowParts(plan, mostTasks).flatMap((part, index) => part.map(({ node }) => [node, index] as const)),
  );
}

function stepOf(plan: Plan, node: string): Step | undefined {
  return plan.steps.find((each) => each.node === node);
}

function withInputs(app: App, inputs: StepInputs): App {
  const syncMs = parseDuration(inputs['sync-timeout'] ?? '') ?? app.timeouts.syncMs;
  const healthMs = parseDuration(inputs['health-timeout'] ?? '') ?? app.timeouts.healthMs;
  const maxAttempts = Number(inputs['attempts']) || app.retries.maxAttempts;
  const backoffMs = parseDuration(inputs['backoff'] ?? '') ?? app.retries.backoffMs;
  return { ...app, timeouts: { syncMs, healthMs }, retries: { maxAttempts, backoffMs } };
}

interface Release {
  readonly view: WorkflowView;
  readonly lost: AbortSignal;
  readonly tell: Emit;
}

async function release(shared: Shared, { view, lost, tell }: Release, signal: AbortSignal): Promise<boolean> {
  const { world, platform, document, hold } = shared;
  const { plan } = document;
  const states = statesOf(plan, view);
  // A second look at the hold, this time told: the report says what stays held.
  const told = createHold(world, tell, hold.held);
  await handOver(world, { platform, plan, states, hold: told }, { emit: tell, stop: signal, lost });
  const { open, bad } = countStates(plan, states);
  return open === 0 && bad === 0;
}

/** From the Workflow's own record: this process may have been started a moment ago. */
function statesOf(plan: Plan, view: WorkflowView): Map<string, NodeState> {
  const skipped = plan.steps.filter(({ action }) => action === 'skip').map(({ node }) => [node, 'skipped'] as const);
  const teller = workflowTeller(plan, new Map(skipped));
  teller.tell(view);
  return new Map(teller.states);
}

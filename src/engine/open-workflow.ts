import type { Platform } from '../core/platform/platform.ts';
import { platformOf, type RunDocument, readRun } from '../core/workflow/run-document.ts';
import { partNames, workflowParts } from '../core/workflow/workflow-parts.ts';
import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import type { AgentWorld } from './agent-ports.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';
import { createRunBoard } from './run-board.ts';
import { openRun, type RunHost, type RunOrder } from './run-host.ts';
import { readWhole } from './whole-workflow.ts';

/** A Workflow whose steps can be done here. */
export interface OpenedWorkflow {
  readonly host: RunHost;
  /** The Workflow as it is now. */
  readonly view: () => Promise<WorkflowView | undefined>;
  /** Aborted when somebody stops the Workflow: steps end and say so. */
  readonly stopped: AbortSignal;
  /** A part of a run that is spread over several is over before the run is. */
  readonly isFirst: boolean;
  /** How many steps of it may be under way at once; 0: no limit. */
  readonly parallelism: number;
}

/** How long a Workflow is served. */
export interface Service {
  /** Its tasks: aborted when there is nothing more to do for it. */
  readonly ending: AbortController;
  /** The connection to its cluster: aborted when nothing more is to be seen, either. */
  readonly closed: AbortSignal;
}

const tryAgainMs = 2_000;

/** Reads the run that a Workflow carries and takes it up; or says why that cannot be. Waits for a cluster that does not answer. */
export async function openWorkflow(
  world: AgentWorld,
  workflow: string,
  service: Service,
): Promise<OpenedWorkflow | { readonly because: string }> {
  for (;;) {
    try {
      return await open(world, workflow, service);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      if (!error.mayPass) return { because: `${error.message}. ${error.hint}` };
      world.log(`${workflow}: ${error.message}; trying again`);
      await world.clock.sleep(tryAgainMs, service.ending.signal);
    }
  }
}

async function open(
  world: AgentWorld,
  workflow: string,
  { ending, closed }: Service,
): Promise<OpenedWorkflow | { readonly because: string }> {
  const found = await findRun(world, workflow, ending.signal);
  if ('because' in found) return found;
  const { document, platform, first } = found;
  world.log(`${workflow}: run ${document.runId} of ${platform.name}`);
  const own = world.connect(platform, closed);
  const stopping = new AbortController();
  const lost = (message: string): void => ending.abort(new PassedOnError(message));
  const names = partNames(first, workflowParts(document.plan, document.mostTasks).length);
  const board = names.length === 1 ? undefined : createRunBoard(own, names, ending.signal);
  const isStopped = stopTeller(world, names);
  const host = await openRun(own, { document, platform, board, isStopped }, lost, ending.signal);
  void watchForStop(own, workflow, stopping, ending);
  // Asked of the server: what a watch has last shown may be older than the task that asks.
  const asked = { workflows: { read: world.taskSets.workflow } };
  const view = async (): Promise<WorkflowView | undefined> => (await readWhole(asked, names, ending.signal))?.view;
  const { parallelism } = document;
  return { host, stopped: stopping.signal, view, isFirst: workflow === first, parallelism };
}

interface FoundRun {
  readonly document: RunDocument;
  readonly platform: Platform;
  /** The Workflow that carries the run. */
  readonly first: string;
}

async function findRun(
  world: AgentWorld,
  workflow: string,
  signal: AbortSignal,
): Promise<FoundRun | { readonly because: string }> {
  const view = await world.taskSets.workflow(workflow, signal);
  if (view?.partOf === undefined) return runIn(world, view);
  const first = await world.taskSets.workflow(view.partOf, signal);
  return first === undefined ? missingFirst(world, view) : runIn(world, first);
}

function runIn(world: AgentWorld, first: WorkflowView | undefined): FoundRun | { readonly because: string } {
  if (first?.run === undefined) return { because: 'this Workflow carries no run of Tiphys (parameter `run`)' };
  const read = readRun(world.taskSets.unpack(first.run));
  if ('because' in read) return read;
  const document = read.runId === '' ? { ...read, runId: first.name } : read;
  const platform = platformOf(document);
  return 'because' in platform ? platform : { document, platform, first: first.name };
}

/** How long after a part of a divided run its first Workflow may come: it is submitted last. */
const firstMs = 60_000;

function missingFirst(world: AgentWorld, { createdAt, partOf }: WorkflowView): { readonly because: string } {
  const because = `the Workflow ${partOf}, which carries the run, is not there`;
  if (world.clock.now() - Date.parse(createdAt) < firstMs)
    throw new OperatorError(because, { hint: 'It is submitted last.', mayPass: true });
  return { because };
}

/** Says whether all of these are stopped, over or gone; by a look that is taken now. */
function stopTeller({ taskSets }: AgentWorld, names: readonly string[]): RunOrder['isStopped'] {
  return async (signal) => {
    const views = await Promise.all(names.map((name) => taskSets.workflow(name, signal)));
    return views.every((view) => view === undefined || isOver(view) || view.shutdown !== undefined);
  };
}

/** The controller does not tell an agent that its Workflow is being stopped, and with an exit handler even waits for it. */
async function watchForStop(
  world: World,
  name: string,
  stopping: AbortController,
  ending: AbortController,
): Promise<void> {
  try {
    for (;;) {
      const view = await world.workflows.read(name, ending.signal);
      if (view === undefined || isOver(view)) return ending.abort(new InterruptedError('the Workflow is over'));
      if (view.shutdown !== undefined && !stopping.signal.aborted) {
        stopping.abort(new InterruptedError('the Workflow was stopped'));
      }
      await world.workflows.moved(view, Number.POSITIVE_INFINITY, ending.signal);
    }
  } catch (error) {
    if (!ending.signal.aborted) ending.abort(error);
  }
}

import { platformOf, readRun } from '../core/workflow/run-document.ts';
import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import type { AgentWorld } from './agent-ports.ts';
import { InterruptedError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';
import { openRun, type RunHost } from './run-host.ts';

/** A Workflow whose steps can be done here. */
export interface OpenedWorkflow {
  readonly host: RunHost;
  /** The Workflow as it is now. */
  readonly view: () => Promise<WorkflowView | undefined>;
  /** Aborted when somebody stops the Workflow: steps end and say so. */
  readonly stopped: AbortSignal;
}

/** Reads the run that a Workflow carries and takes it up; or says why that cannot be. */
export async function openWorkflow(
  world: AgentWorld,
  workflow: string,
  ending: AbortController,
): Promise<OpenedWorkflow | { readonly because: string }> {
  const view = await world.taskSets.workflow(workflow, ending.signal);
  if (view?.run === undefined) return { because: 'this Workflow carries no run of Tiphys (parameter `run`)' };
  const read = readRun(world.taskSets.unpack(view.run));
  if ('because' in read) return read;
  const document = read.runId === '' ? { ...read, runId: workflow } : read;
  const platform = platformOf(document);
  if ('because' in platform) return platform;
  world.log(`${workflow}: run ${document.runId} of ${platform.name}`);
  const own = world.connect(platform, ending.signal);
  const stopping = new AbortController();
  const lost = (message: string): void => ending.abort(new InterruptedError(message));
  try {
    const host = await openRun(own, { document, platform }, lost, ending.signal);
    void watchForStop(own, view, stopping, ending);
    return { host, stopped: stopping.signal, view: () => own.workflows.read(workflow, ending.signal) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { because: `${error.message}. ${error.hint}` };
  }
}

/** The controller does not tell an agent that its Workflow is being stopped, and with an exit handler even waits for it. */
async function watchForStop(
  world: World,
  { name }: WorkflowView,
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

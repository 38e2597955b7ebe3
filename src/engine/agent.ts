import type { AgentWorld } from './agent-ports.ts';
import { PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import { serveWorkflow } from './serve-workflow.ts';

/** How often an agent that does not lead looks whether it should. */
const standByMs = 5_000;
/** How long after it has let go of a Workflow an agent looks whether there is still something to do. */
const againMs = 2_000;

/**
 * The long-lived runner of steps: does the tasks of every Workflow that has some for us, until the signal aborts. Of several
 * agents one works and the others stand by. It can be ended at any moment: every task is safe to run twice.
 */
export async function runAgent(world: AgentWorld, signal: AbortSignal): Promise<void> {
  const name = `agent-${world.newId()}`;
  let leader = '';
  while (!signal.aborted) {
    const answer = await world.leadership.take(name, signal).catch(unreachable(world));
    if (answer === undefined) {
      world.stands('waits for the cluster');
      await world.clock.sleep(standByMs, signal).catch(unlessAborted(signal));
      continue;
    }
    if (answer.taken) {
      world.log('this agent works from now on');
      world.stands('works');
      await lead(world, name, signal);
      continue;
    }
    world.stands('stands by');
    if (answer.by.holder !== leader) world.log(`${answer.by.holder} works; this agent stands by`);
    leader = answer.by.holder;
    await world.clock.sleep(standByMs, signal).catch(unlessAborted(signal));
  }
}

async function lead(world: AgentWorld, name: string, signal: AbortSignal): Promise<void> {
  const leading = new AbortController();
  const stop = (): void => leading.abort(new PassedOnError('the agent was ended'));
  signal.addEventListener('abort', stop, { once: true });
  const lost = (message: string): void => {
    world.log(message);
    world.stands('waits for the cluster');
    leading.abort(new PassedOnError(message));
  };
  const kept = world.leadership.keep(name, lost, leading.signal);
  try {
    await serve(world, leading.signal);
  } catch (error) {
    if (!leading.signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await kept;
    await giveLead(world, name);
  }
}

/** A courtesy: it runs out by itself. */
async function giveLead(world: AgentWorld, name: string): Promise<void> {
  await world.leadership.give(name, new AbortController().signal).catch((error: unknown) => {
    world.log(
      `the next agent waits for the lease to run out: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

async function serve(world: AgentWorld, signal: AbortSignal): Promise<void> {
  const served = new Set<string>();
  let wake: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const begin = (workflow: string): void => {
    served.add(workflow);
    // What can go wrong is told to the Workflow; what is left is a bug of ours, and ends the agent, which is restarted.
    serveWorkflow(world, workflow, signal)
      // It may have ended before its tasks did: its lease was lost, or its Workflow could not be read.
      .then(() => world.clock.sleep(againMs, signal).catch(unlessAborted(signal)))
      .finally(() => served.delete(workflow))
      .then(
        () => wake(),
        (error: unknown) => fail(error),
      );
  };
  await world.taskSets.ready(signal);
  for (;;) {
    const { version } = world.taskSets;
    for (const { workflow, isCompleted, tasks } of world.taskSets.all()) {
      if (!isCompleted && tasks.size > 0 && !served.has(workflow)) begin(workflow);
    }
    const ended = new Promise<void>((resolve, reject) => {
      wake = resolve;
      fail = reject;
    });
    await Promise.race([world.taskSets.moved(version, signal), ended]);
  }
}

/** A cluster that does not answer is waited for; anything else ends the agent with its sentence. */
function unreachable(world: AgentWorld): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof OperatorError && error.mayPass)) throw error;
    world.log(`${error.message}; trying again`);
  };
}

function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

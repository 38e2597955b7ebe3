import type { AgentWorld } from './agent-ports.ts';
import { InterruptedError } from './interrupted-error.ts';
import { serveWorkflow } from './serve-workflow.ts';

/** How often an agent that does not lead looks whether it should. */
const standByMs = 5_000;

/**
 * The long-lived runner of steps: does the tasks of every Workflow that has some for us, until the signal aborts. Of several
 * agents one works and the others stand by. It can be ended at any moment: every task is safe to run twice.
 */
export async function runAgent(world: AgentWorld, signal: AbortSignal): Promise<void> {
  const name = `agent-${world.newId()}`;
  while (!signal.aborted) {
    const answer = await world.leadership.take(name, signal);
    if (answer.taken) {
      world.log('this agent works from now on');
      await lead(world, name, signal);
      continue;
    }
    world.log(`${answer.by.holder} works; this agent stands by`);
    await world.clock.sleep(standByMs, signal).catch(unlessAborted(signal));
  }
}

async function lead(world: AgentWorld, name: string, signal: AbortSignal): Promise<void> {
  const leading = new AbortController();
  const stop = (): void => leading.abort(new InterruptedError('the agent was ended'));
  signal.addEventListener('abort', stop, { once: true });
  const lost = (message: string): void => {
    world.log(message);
    leading.abort(new InterruptedError(message));
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
    await world.leadership.give(name, new AbortController().signal).catch(() => undefined);
  }
}

async function serve(world: AgentWorld, signal: AbortSignal): Promise<void> {
  const served = new Map<string, Promise<void>>();
  await world.taskSets.ready(signal);
  for (;;) {
    const { version } = world.taskSets;
    for (const { workflow, isCompleted, tasks } of world.taskSets.all()) {
      if (isCompleted || tasks.size === 0 || served.has(workflow)) continue;
      const serving = serveWorkflow(world, workflow, signal).finally(() => served.delete(workflow));
      // What can go wrong is told to the Workflow; what is left is a bug of ours, and ends the agent, which is restarted.
      served.set(workflow, serving);
    }
    await Promise.race([world.taskSets.moved(version, signal), failing(served.values())]);
  }
}

/** Never resolves; rejects with the first that does. */
function failing(all: Iterable<Promise<void>>): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const one of all) one.catch(reject);
  });
}

function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

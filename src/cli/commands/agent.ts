import { hostname } from 'node:os';
import { connectAgent } from '../../adapters/argo-workflows/connect-agent.ts';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../../adapters/clock/system-random.ts';
import { type HealthServer, serveHealth } from '../../adapters/health/health-server.ts';
import { runAgent } from '../../engine/agent.ts';
import type { AgentStanding } from '../../engine/agent-ports.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { listenAddress } from '../listen-address.ts';
import { openTransport } from '../open-transport.ts';
import { readSettings } from '../settings.ts';

/** Does the steps of Workflows until it is told to stop. */
export const agentCommand: CommandRun = async ({ io, options }) => {
  const settings = readSettings(options, io.env);
  const { transport, context, close } = await openTransport(io, settings);
  const namespace = options.namespace ?? 'argo';
  const log = (sentence: string): void => io.err(`${new Date(systemClock.now()).toISOString()} ${sentence}\n`);
  let standing: AgentStanding = 'waits for the cluster';
  const health = await answerKubelet(options.health, () => standing);
  const world = connectAgent({
    transport,
    clock: systemClock,
    namespace,
    newId: systemId,
    random: systemRandom,
    identity: `${hostname()}/${process.pid}`,
    log,
    stands: (now) => {
      standing = now;
    },
    signal: io.stop,
  });
  log(`agent for Workflows in namespace ${namespace} of ${context}`);
  try {
    await runAgent(world, io.stop);
  } catch (error) {
    if (!io.stop.aborted) throw error;
  } finally {
    close();
    await health?.close();
  }
  log('ended on request; what was being done is taken up by the next agent');
  return 0;
};

/** Where a kubelet asks; nowhere unless told. */
async function answerKubelet(
  listen: string | undefined,
  standing: () => AgentStanding,
): Promise<HealthServer | undefined> {
  if (listen === undefined) return undefined;
  const where = listenAddress('--health', listen);
  const look = () => ({ isReady: standing() !== 'waits for the cluster', sentence: `this agent ${standing()}` });
  return serveHealth(where, look).catch((error: NodeJS.ErrnoException) => {
    throw new ExitError(1, `cannot listen on ${listen} (${error.code ?? error.message})`, 'Give another --health.');
  });
}

import { hostname } from 'node:os';
import { connectAgent } from '../../adapters/argo-workflows/connect-agent.ts';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../../adapters/clock/system-random.ts';
import { runAgent } from '../../engine/agent.ts';
import type { CommandRun } from '../invocation.ts';
import { openTransport } from '../open-transport.ts';
import { readSettings } from '../settings.ts';

/** Does the steps of Workflows until it is told to stop. */
export const agentCommand: CommandRun = async ({ io, options }) => {
  const settings = readSettings(options, io.env);
  const { transport, context, close } = await openTransport(io, settings);
  const namespace = options.namespace ?? 'argo';
  const log = (sentence: string): void => io.err(`${new Date(systemClock.now()).toISOString()} ${sentence}\n`);
  const world = connectAgent({
    transport,
    clock: systemClock,
    namespace,
    newId: systemId,
    random: systemRandom,
    identity: `${hostname()}/${process.pid}`,
    log,
    signal: io.stop,
  });
  log(`agent for Workflows in namespace ${namespace} of ${context}`);
  try {
    await runAgent(world, io.stop);
  } catch (error) {
    if (!io.stop.aborted) throw error;
  } finally {
    close();
  }
  log('ended on request; what was being done is taken up by the next agent');
  return 0;
};

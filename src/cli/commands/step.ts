import { writeFile } from 'node:fs/promises';
import { connectAgent } from '../../adapters/argo-workflows/connect-agent.ts';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../../adapters/clock/system-random.ts';
import { runSingleStep } from '../../engine/run-single-step.ts';
import type { CommandRun, Invocation } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { openTransport } from '../open-transport.ts';
import { readSettings } from '../settings.ts';

/** One step of a Workflow, in a pod of its own: the result goes into a file that Argo Workflows picks up. */
export const stepCommand: CommandRun = async ({ io, args, options }) => {
  const order = orderOf(args, options);
  const settings = readSettings(options, io.env);
  const { transport, close } = await openTransport(io, settings);
  const namespace = options.namespace ?? 'argo';
  const log = (sentence: string): void => io.err(`${sentence}\n`);
  const tools = { clock: systemClock, newId: systemId, random: systemRandom };
  const world = connectAgent({ transport, namespace, log, signal: io.stop, ...tools });
  try {
    const { phase, message, report } = await runSingleStep(world, order, io.stop);
    // Picked up when this process has ended.
    if (options.result !== undefined) await writeFile(options.result, report, { mode: 0o644 });
    log(message);
    return phase === 'Succeeded' ? 0 : 1;
  } finally {
    close();
  }
};

function orderOf(args: readonly string[], options: Invocation['options']) {
  const [node] = args;
  const { workflow } = options;
  if (workflow === undefined)
    throw new ExitError(3, '--workflow is missing', 'Name the Workflow that this step belongs to.');
  if (options.handOver === true) return { workflow, order: { do: 'hand-over', inputs: {} } };
  if (node === undefined) throw new ExitError(3, 'which step?', 'Name the node, or use --hand-over.');
  const given = {
    node,
    'sync-timeout': options.syncTimeout,
    'health-timeout': options.healthTimeout,
    attempts: options.attempts,
    backoff: options.backoff,
  };
  const inputs = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? '']));
  return { workflow, order: { do: 'step', inputs } };
}

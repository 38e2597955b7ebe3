import { createServer, type Server } from 'node:http';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { TimeoutError } from '../../src/adapters/kubernetes/errors.ts';
import { createReflector, type Reflector } from '../../src/adapters/kubernetes/reflector.ts';
import { markedProcesses } from '../cluster/marked-processes.ts';
import { endProcess, isRunning } from '../cluster/processes.ts';
import type { TestbedState } from '../cluster/state.ts';
import { openTestbed } from '../world/open-testbed.ts';
import { createKeeper, type Keeper } from './keep-part.ts';
import { labelOf, type Part, parts } from './parts.ts';
import type { Pod } from './pod.ts';
import { type KubeletRecord, type PartRecord, readRecord, writeRecord } from './record.ts';
import { createRunner } from './run-once.ts';
import { serveWorkflowsApi } from './serve-workflows-api.ts';
import { settingsName } from './settings-name.ts';
import type { KubeletWorld } from './world.ts';

/** Runs Argo's pods on the host until the signal aborts. What it has started goes on without it, and is taken over by the next one. */
export async function runKubeletPart(testbed: TestbedState, signal: AbortSignal): Promise<void> {
  const onTrouble = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const { client, close } = await openTestbed(testbed, 'kubelet');
  await endUnrecorded(testbed);
  const world: KubeletWorld = {
    testbed,
    client,
    clock: systemClock,
    env: ownEnvironment(),
    onTrouble,
    ...memory(testbed),
  };
  const labelSelector = 'app.kubernetes.io/part-of in (argocd,argo-workflows)';
  const pods = createReflector<Pod>(
    client,
    { path: '/api/v1/pods', labelSelector, clock: systemClock, onTrouble },
    signal,
  );
  const keepers = parts.map((part) => ({ part, keeper: keeperOf(world, part) }));
  const workflowsApi = await serveWorkflowsApi(testbed, () => settingsName(pods.all()), onTrouble);
  const readiness = await serveReadiness(testbed, keepers);
  try {
    await pods.ready(signal);
    // Each for itself: the rest of one is not the others'.
    await Promise.all(keepers.map((kept) => keepOn(world, { kept, pods, signal })));
  } finally {
    for (const server of [readiness, workflowsApi]) {
      server.close();
      server.closeAllConnections();
    }
    close();
  }
}

interface Kept {
  readonly part: Part;
  readonly keeper: Keeper;
}

function keeperOf(world: KubeletWorld, part: Part): Keeper {
  return part.kind === 'stays' ? createKeeper(world, part) : createRunner(world, part);
}

async function keepOn(
  { clock, onTrouble }: KubeletWorld,
  { kept: { part, keeper }, pods, signal }: { kept: Kept; pods: Reflector<Pod>; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const { version } = pods;
    await keeper
      .step(pods.all().filter((pod) => labelOf(pod) === part.label))
      .catch((error: unknown) => onTrouble(`${part.name}: ${error instanceof Error ? error.message : String(error)}`));
    const restMs = keeper.busyWith() === undefined ? 1_000 : 200;
    // A changed pod ends the rest; so does its time, and then a look is due anyway.
    await pods
      .waitFor(() => (pods.version === version ? undefined : true), { deadline: clock.now() + restMs, signal })
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof TimeoutError)) throw error;
      });
  }
}

/** All that is remembered stands in a file at once. */
function memory({ folder }: TestbedState): Pick<KubeletWorld, 'remembered' | 'remember'> {
  let record: KubeletRecord = afterAwakening(readRecord(folder));
  return {
    remembered: (part) => record[part],
    remember(part, known) {
      const { [part]: _before, ...others } = record;
      record = known === undefined ? others : { ...others, [part]: known };
      writeRecord(folder, record);
    },
  };
}

/** What has ended while nobody looked has not crashed: it begins again without a rest. */
function afterAwakening(record: KubeletRecord): KubeletRecord {
  const known = Object.entries(record).map(([part, { process, ...rest }]): [string, PartRecord] => {
    return [part, process !== undefined && isRunning(process) ? { ...rest, process } : rest];
  });
  return Object.fromEntries(known);
}

/** Somebody was killed here before it could write down what it had just started. */
async function endUnrecorded({ folder }: TestbedState): Promise<void> {
  const recorded = Object.values(readRecord(folder)).flatMap(({ process }) => process?.pid ?? []);
  const lost = markedProcesses(folder).filter(
    ({ component, pid }) => (component.startsWith('kubelet/') || component === 'redis') && !recorded.includes(pid),
  );
  await Promise.all(lost.map((one) => endProcess(one, 1_000)));
}

function ownEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'GOGC']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** For `up`, which waits until what the pods ask for has been started and has answered. */
async function serveReadiness({ ports }: TestbedState, keepers: readonly Kept[]): Promise<Server> {
  const server = createServer((_request, response) => {
    const busy = keepers.flatMap(({ keeper }) => keeper.busyWith() ?? []);
    response.writeHead(busy.length === 0 ? 200 : 503).end(`${busy.join('\n') || 'ok'}\n`);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(ports.kubelet, '127.0.0.1', resolve),
  );
  return server;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectWorld } from '../src/adapters/argocd/connect-world.ts';
import { seededIds } from '../src/adapters/clock/seeded-ids.ts';
import type { Transport } from '../src/adapters/kubernetes/transport.ts';
import { applicationsElsewhere } from '../src/core/platform/application-name.ts';
import { formatProblems } from '../src/core/platform/format-problems.ts';
import type { Platform } from '../src/core/platform/platform.ts';
import { readPlatform } from '../src/core/platform/read-platform.ts';
import type { RunEvent } from '../src/core/run/events.ts';
import { emptyRun, foldRun } from '../src/core/run/fold-run.ts';
import type { Run } from '../src/core/run/run.ts';
import type { PlatformSource } from '../src/core/workflow/run-document.ts';
import { type DeployOrder, deploy } from '../src/engine/deploy.ts';
import type { Clock, World } from '../src/engine/ports.ts';
import { type TeardownOrder, teardown } from '../src/engine/teardown.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox/sandbox.ts';
import { type VirtualTime, virtualTime } from '../src/sandbox/time.ts';

/** A platform of platforms/, or one written in the test. */
export function platformFrom(folder: string): Platform {
  const file = (name: string): { file: string; text: string } => ({
    file: name,
    text: readFileSync(join(folder, name), 'utf8'),
  });
  return platformOf(file('dag.yaml').text, file('environment.yaml').text);
}

const plainEnvironment = `name: test
domain: example.com
gitRepository: https://git.example.com/platform.git
gitRevision: main
`;

/** The files of a platform, as they travel with a Workflow. */
export function sourceOf(dag: string, environment: string = plainEnvironment): PlatformSource {
  return {
    dag: { file: 'dag.yaml', text: dag },
    environment: { file: 'environment.yaml', text: environment },
    overrides: {},
  };
}

export function platformOf(dag: string, environment: string = plainEnvironment): Platform {
  const { platform, problems } = readPlatform(sourceOf(dag, environment));
  if (platform === undefined) throw new Error(formatProblems(problems));
  return platform;
}

/** An embedded cluster in virtual time and an executor's world on it. */
export interface Bench {
  readonly platform: Platform;
  readonly time: VirtualTime;
  readonly sandbox: Sandbox;
  readonly world: World;
  readonly close: () => void;
}

export function bench(platform: Platform, options: Partial<SandboxOptions> & { readonly idSeed?: number } = {}): Bench {
  const time = virtualTime();
  const sandbox = createSandbox({ platform, record: 'all', ...options, time });
  const { world, close } = executorOn(platform, { time, sandbox }, options.idSeed ?? 1);
  return {
    platform,
    time,
    sandbox,
    world,
    close() {
      close();
      sandbox.stop();
    },
  };
}

/** Another executor on the same cluster, as after a crash, or beside the first. */
export function executorOn(
  platform: Platform,
  on: Pick<Bench, 'time' | 'sandbox'>,
  seed: number,
  as?: string | { readonly token?: string; readonly identity: string },
): { world: World; close: () => void; kill: () => void } {
  const { token, identity } = typeof as === 'string' ? { token: as, identity: undefined } : (as ?? {});
  const ending = new AbortController();
  const { transport, clock, kill } = processOn(on, token);
  const ids = seededIds(seed);
  const world = connectWorld({
    transport,
    clock,
    platform: platform.name,
    argocdNamespace: platform.environment.argocdNamespace,
    workflowsNamespace: platform.environment.workflowsNamespace,
    elsewhere: applicationsElsewhere(platform),
    newId: ids.next,
    random: ids.random,
    ...(identity === undefined ? {} : { identity }),
    signal: ending.signal,
  });
  return { world, close: () => ending.abort(new Error('executor ended')), kill };
}

/** What a process reaches the cluster by. Killed, it sends nothing more and waits for nothing more; what it has sent is on its way. */
export function processOn(
  on: Pick<Bench, 'time' | 'sandbox'>,
  token?: string,
): { transport: Transport; clock: Clock; kill: () => void } {
  let dead = false;
  const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    transport: (request) =>
      dead ? never() : on.sandbox.handle({ ...request, headers: { ...request.headers, ...authorization } }),
    clock: { now: on.time.now, sleep: (ms, signal) => (dead ? never() : on.time.sleep(ms, signal)) },
    kill() {
      dead = true;
    },
  };
}

export interface Played {
  readonly run: Run;
  readonly events: readonly RunEvent[];
}

export async function play(events: AsyncGenerator<RunEvent>, onEvent?: (event: RunEvent) => void): Promise<Played> {
  const told: RunEvent[] = [];
  let run = emptyRun;
  for await (const event of events) {
    told.push(event);
    run = foldRun(run, event);
    onEvent?.(event);
  }
  return { run, events: told };
}

let runs = 0;

export function deployOn(
  on: Pick<Bench, 'platform' | 'time' | 'world'>,
  order: Partial<DeployOrder> = {},
  stop: AbortSignal = new AbortController().signal,
  onEvent?: (event: RunEvent) => void,
): Promise<Played> {
  const whole: DeployOrder = {
    platform: on.platform,
    runId: `deploy-${++runs}`,
    scope: { kind: 'platform' },
    order: 'edges',
    parallelism: 0,
    ...order,
  };
  return on.time.run(play(deploy(on.world, whole, stop), onEvent));
}

export function teardownOn(
  on: Pick<Bench, 'platform' | 'time' | 'world'>,
  order: Partial<TeardownOrder> = {},
  stop: AbortSignal = new AbortController().signal,
  onEvent?: (event: RunEvent) => void,
): Promise<Played> {
  return on.time.run(play(teardown(on.world, teardownOrder(on, order), stop), onEvent));
}

/** Everything, as far as nothing else is told. */
export function teardownOrder({ platform }: Pick<Bench, 'platform'>, order: Partial<TeardownOrder>): TeardownOrder {
  return {
    platform,
    runId: `teardown-${++runs}`,
    scope: { kind: 'platform' },
    order: 'edges',
    parallelism: 0,
    stateful: 'all',
    pvPolicy: 'retain',
    includeCrds: false,
    ...order,
  };
}

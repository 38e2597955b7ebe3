import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAgent, workflowIdentity } from '../src/adapters/argo-workflows/connect-agent.ts';
import { seededIds } from '../src/adapters/clock/seeded-ids.ts';
import type { RunEvent } from '../src/core/run/events.ts';
import type { PlatformSource } from '../src/core/workflow/run-document.ts';
import { platformOf as readPlatformOf } from '../src/core/workflow/run-document.ts';
import { syncAndWaitTemplate } from '../src/core/workflow/workflow-templates.ts';
import { runAgent } from '../src/engine/agent.ts';
import { attach } from '../src/engine/attach.ts';
import type { DeployOrder } from '../src/engine/deploy.ts';
import type { SandboxOptions } from '../src/sandbox/sandbox.ts';
import type { KubeObject } from '../src/sandbox/store/objects.ts';
import { withMeta } from '../src/sandbox/store/store.ts';
import { type Bench, bench, deployOn, executorOn, type Played, play, processOn, sourceOf } from './harness.ts';

/** A bench with what `charts/tiphys` brings, and an agent that works. */
export interface WorkflowBench extends Bench {
  readonly source: PlatformSource;
  readonly agent: Agent;
}

export interface Agent {
  readonly log: readonly string[];
  /** Gone in this moment: nothing more is sent, nothing given back. */
  kill(): void;
  /** Ended in peace. */
  stop(): Promise<void>;
  /** Resolves or rejects when it has ended. */
  readonly ended: Promise<void>;
}

export interface WorkflowBenchOptions extends Partial<SandboxOptions> {
  readonly idSeed?: number;
  /** Without the templates in the cluster. */
  readonly bare?: boolean;
  readonly idle?: boolean;
}

export function workflowBenchFrom(folder: string, options: WorkflowBenchOptions = {}): WorkflowBench {
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return workflowBench(sourceOf(text('dag.yaml'), text('environment.yaml')), options);
}

export function workflowBench(source: PlatformSource, options: WorkflowBenchOptions = {}): WorkflowBench {
  const platform = readPlatformOf({ source });
  if ('because' in platform) throw new Error(platform.because);
  const on = bench(platform, options);
  const { world, close } = executorOn(platform, on, options.idSeed ?? 1, { identity: workflowIdentity });
  if (options.bare !== true) installTemplates(on);
  const agent = options.idle === true ? nobody : agentOn(on, 100 + (options.idSeed ?? 1));
  return {
    ...on,
    world,
    source,
    agent,
    close() {
      agent.kill();
      close();
      on.close();
    },
  };
}

const nobody: Agent = { log: [], kill: () => undefined, stop: async () => undefined, ended: Promise.resolve() };

export function installTemplates({ sandbox }: Pick<Bench, 'sandbox'>, labels?: Record<string, string>): void {
  const type = sandbox.types.byKind('argoproj.io/v1alpha1', 'ClusterWorkflowTemplate');
  if (type === undefined) throw new Error('Argo Workflows is not in this sandbox');
  const template = syncAndWaitTemplate({ kind: 'agent' }) as unknown as KubeObject;
  sandbox.store.create(type, labels === undefined ? template : withMeta(template, { labels }), 'helm');
}

/** Another agent on the same cluster. */
export function agentOn(on: Pick<Bench, 'time' | 'sandbox' | 'platform'>, seed: number): Agent {
  const { transport, clock, kill } = processOn(on);
  const ids = seededIds(seed);
  const ending = new AbortController();
  const log: string[] = [];
  const world = connectAgent({
    transport,
    clock,
    namespace: on.platform.environment.workflowsNamespace,
    newId: ids.next,
    random: ids.random,
    log: (sentence) => void log.push(sentence),
    signal: ending.signal,
  });
  const ended = runAgent(world, ending.signal);
  // Whoever waits for its end hears of it; a bench that is closed does not.
  ended.catch(() => undefined);
  return {
    log,
    kill,
    ended,
    async stop() {
      ending.abort(new Error('the agent was stopped'));
      await on.time.run(ended);
    },
  };
}

/** Deploys through Argo Workflows. */
export function workflowDeployOn(
  on: Pick<WorkflowBench, 'platform' | 'time' | 'world' | 'source'>,
  order: Partial<DeployOrder> & { readonly detach?: boolean; readonly mostTasks?: number } = {},
  stop: AbortSignal = new AbortController().signal,
  onEvent?: (event: RunEvent) => void,
): Promise<Played> {
  const { detach, mostTasks, ...rest } = order;
  const workflow = {
    source: on.source,
    ...(detach === undefined ? {} : { detach }),
    ...(mostTasks === undefined ? {} : { mostTasks }),
  };
  return deployOn(on, { workflow, ...rest }, stop, onEvent);
}

export function attachOn(
  on: Pick<Bench, 'time' | 'world'>,
  workflow?: string,
  stop: AbortSignal = new AbortController().signal,
  onEvent?: (event: RunEvent) => void,
): Promise<Played> {
  return on.time.run(play(attach(on.world, workflow === undefined ? {} : { workflow }, stop), onEvent));
}

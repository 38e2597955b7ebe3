import type { Workflow } from '../../core/workflow/compile-workflow.ts';
import type { RawWorkflow, WorkflowView } from '../../core/workflow/workflow-view.ts';
import { viewWorkflow } from '../../core/workflow/workflow-view.ts';
import { OperatorError } from '../../engine/operator-error.ts';
import type { Clock, Workflows } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import { nodesOf, pack, unpack } from './packing.ts';
import { isInstalled, templatesReady } from './templates-ready.ts';

export interface WorkflowsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly platform: string;
  readonly random?: () => number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** The Workflows of one platform, found by their label. One watch answers every read, begun by the first one. */
export function createWorkflows(options: WorkflowsOptions): Workflows {
  const { client, clock, namespace, platform, random, signal: life } = options;
  const path = workflowsPath(namespace);
  const labelSelector = `tiphys.dev/platform=${platform}`;
  let watch: Reflector<RawWorkflow> | undefined;

  async function watching(signal: AbortSignal): Promise<Reflector<RawWorkflow>> {
    const order = { path, labelSelector, clock, ...(random === undefined ? {} : { random }) };
    watch ??= createReflector<RawWorkflow>(client, order, life);
    await watch.ready(signal);
    return watch;
  }

  return {
    pack,
    unpack,
    mustBeReady: (signal) => templatesReady(client, namespace, signal),
    submit: (workflow, signal) =>
      asOperatorError(`submit Workflow ${workflow.metadata.name}`, async () => {
        await client
          .create(path, workflow, signal)
          .catch((error) => unlessOurs(workflow, error, signal))
          .catch(tooLarge);
      }),
    all: (signal) =>
      asOperatorError('list Workflows', async () => {
        if (!(await isInstalled(client, signal))) return [];
        const { items } = await client.list<RawWorkflow>(path, { labelSelector }, signal);
        const views = items.map((raw) => viewWorkflow(raw, nodesOf(raw)));
        return views.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      }),
    read: (name, signal) =>
      asOperatorError('watch Workflows', async () => {
        const raw = (await watching(signal)).get(`${namespace}/${name}`);
        return raw === undefined ? beforeTheWatch(name, signal) : viewWorkflow(raw, nodesOf(raw));
      }),
    moved: ({ name, version }, until, signal) =>
      asOperatorError('watch Workflows', async () => {
        const reflector = await watching(signal);
        const now = (): string | undefined => reflector.get(`${namespace}/${name}`)?.metadata.resourceVersion;
        const moved = (): true | undefined => (now() === version ? undefined : true);
        const deadline = Number.isFinite(until) ? { deadline: until } : {};
        await reflector.waitFor(moved, { ...deadline, signal }).catch(unlessLate);
      }),
    stop: (name, signal) =>
      asOperatorError(`stop Workflow ${name}`, async () => {
        await client.mergePatch(`${path}/${name}`, { spec: { shutdown: 'Stop' } }, signal, { repeatable: true });
      }),
  };

  /** A request that was sent again after a broken connection meets what it made the first time. */
  async function unlessOurs({ metadata }: Workflow, error: unknown, signal: AbortSignal): Promise<void> {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
    const there = await client.get<RawWorkflow>(`${path}/${metadata.name}`, signal);
    if (there?.metadata.labels?.['tiphys.dev/run'] !== metadata.labels['tiphys.dev/run']) throw error;
  }

  /** A Workflow made a moment ago may be there and not yet in the watch: only the server can say that there is none. */
  async function beforeTheWatch(name: string, signal: AbortSignal): Promise<WorkflowView | undefined> {
    const raw = await client.get<RawWorkflow>(`${path}/${name}`, signal);
    return raw === undefined ? undefined : viewWorkflow(raw, nodesOf(raw));
  }
}

export function workflowsPath(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/workflows`;
}

function tooLarge(error: unknown): never {
  if (error instanceof ApiError && (error.status === 413 || /too large/i.test(error.message))) {
    throw new OperatorError(`the plan is too large for one Workflow: ${error.message}`, {
      hint: 'Deploy stack by stack with --scope stack:<name>, or use --engine embedded.',
      cause: error,
    });
  }
  throw error;
}

function unlessLate(error: unknown): void {
  if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
}

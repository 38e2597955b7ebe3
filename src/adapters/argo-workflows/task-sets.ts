import { type RawWorkflow, viewWorkflow } from '../../core/workflow/workflow-view.ts';
import type { TaskOrder, TaskResult, TaskSet, TaskSets } from '../../engine/agent-ports.ts';
import type { Clock } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import { nodesOf, unpack } from './packing.ts';
import { workflowsPath } from './workflows.ts';

export interface TaskSetsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly random?: () => number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

interface RawTaskSet {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly tasks?: Readonly<Record<string, RawTask>> };
}

interface RawTask {
  readonly plugin?: { readonly tiphys?: Readonly<Record<string, unknown>> };
}

/** WorkflowTaskSets of one namespace, by one watch. */
export function createTaskSets({ client, clock, namespace, random, signal }: TaskSetsOptions): TaskSets {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/workflowtasksets`;
  const order = { path, clock, ...(random === undefined ? {} : { random }) };
  let begun: Reflector<RawTaskSet> | undefined;
  /** Begun by the first who asks: a step in a pod of its own has no use for it, and no right to it. */
  const watch = (): Reflector<RawTaskSet> => {
    begun ??= createReflector<RawTaskSet>(client, order, signal);
    return begun;
  };
  return {
    unpack,
    ready: (until) => asOperatorError('watch WorkflowTaskSets', () => watch().ready(until)),
    all: () => watch().all().map(viewTaskSet),
    get version() {
      return watch().version;
    },
    moved: (version, until) =>
      asOperatorError('watch WorkflowTaskSets', async () => {
        await watch().waitFor(() => (watch().version === version ? undefined : true), { signal: until });
      }),
    report: (workflow, results, until) =>
      asOperatorError(`report to Workflow ${workflow}`, async () => {
        const nodes = Object.fromEntries([...results].map(([id, result]) => [id, nodeOf(result)]));
        try {
          await client.mergePatch(`${path}/${workflow}/status`, { status: { nodes } }, until, { repeatable: true });
          return 'done';
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) return 'gone';
          throw error;
        }
      }),
    workflow: (name, until) =>
      asOperatorError(`read Workflow ${name}`, async () => {
        const raw = await client.get<RawWorkflow>(`${workflowsPath(namespace)}/${name}`, until);
        return raw === undefined ? undefined : viewWorkflow(raw, nodesOf(raw));
      }),
  };
}

function viewTaskSet({ metadata, spec }: RawTaskSet): TaskSet {
  const orders = Object.entries(spec?.tasks ?? {}).map(([id, { plugin }]) => [id, orderOf(plugin?.tiphys)] as const);
  return {
    workflow: metadata.name,
    isCompleted: metadata.labels?.['workflows.argoproj.io/completed'] === 'true',
    tasks: new Map(orders.filter((entry): entry is [string, TaskOrder] => entry[1] !== undefined)),
  };
}

function orderOf(plugin: Readonly<Record<string, unknown>> | undefined): TaskOrder | undefined {
  if (plugin === undefined) return undefined;
  const inputs = Object.fromEntries(Object.entries(plugin).map(([name, value]) => [name, String(value)]));
  return { do: inputs['do'] ?? '', inputs };
}

/** null takes the entry out of the map: merge patch. */
function nodeOf(result: TaskResult | undefined): object | null {
  if (result === undefined) return null;
  const { phase, message, report } = result;
  return { phase, message, ...(report === '' ? {} : { outputs: { parameters: [{ name: 'result', value: report }] } }) };
}

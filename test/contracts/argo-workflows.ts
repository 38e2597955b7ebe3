import { watchStream } from '../../src/adapters/kubernetes/watch-stream.ts';
import type { ContractCluster } from './cluster.ts';

/** A Workflow as a client sees it, as far as the contract speaks of it. */
export interface SeenWorkflow {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly nodes?: Readonly<Record<string, SeenNode>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface SeenNode {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly phase: string;
  readonly message?: string;
  readonly children?: readonly string[];
  readonly outputs?: { readonly parameters?: readonly { readonly name: string; readonly value?: string }[] };
}

export interface SeenTaskSet {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly tasks?: Readonly<Record<string, SeenTask>> };
  readonly status?: { readonly nodes?: Readonly<Record<string, unknown>> };
}

interface SeenTask {
  readonly plugin?: { readonly tiphys?: { readonly node?: string } };
}

/** What an agent says of a task; null takes an earlier word back. */
export type Word = { readonly phase: string; readonly message?: string; readonly outputs?: object } | null;

const root = '/apis/argoproj.io/v1alpha1';
const workflows = `${root}/namespaces/argo/workflows`;
export const workflowPath = (name: string): string => `${workflows}/${name}`;
const taskSetPath = (name: string): string => `${root}/namespaces/argo/workflowtasksets/${name}`;

/** A task that an agent does; `depends` as Argo writes it. */
export function task(name: string, depends?: string): object {
  const args = { parameters: [{ name: 'node', value: name }] };
  return { name, template: 'act', arguments: args, ...(depends === undefined ? {} : { depends }) };
}

/** Submits a plan of such tasks under a name of the case's own, and gives that name. */
export async function submit(
  cluster: ContractCluster,
  name: string,
  { tasks, ...more }: { readonly tasks: readonly object[] } & Readonly<Record<string, unknown>>,
): Promise<string> {
  const own = cluster.named(name);
  // A template that nobody uses is checked as well: only who has an exit handler gets this one.
  const handOver = { name: 'hand-over', steps: [[{ name: 'hand-over', templateRef: exitTemplate(cluster) }]] };
  const plan = { name: 'plan', dag: { failFast: false, tasks } };
  await cluster.client.create(workflows, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: own, namespace: 'argo' },
    spec: { entrypoint: 'plan', templates: [plan, act, ...('onExit' in more ? [handOver] : [])], ...more },
  });
  return own;
}

const act = {
  name: 'act',
  inputs: { parameters: [{ name: 'node' }] },
  plugin: { tiphys: { node: '{{inputs.parameters.node}}' } },
};

const exitTemplate = (cluster: ContractCluster): object => ({
  name: cluster.named('contract'),
  template: 'exit',
  clusterScope: true,
});

/** The ClusterWorkflowTemplate that the exit handler of `submit` refers to. */
export async function createExitTemplate(cluster: ContractCluster): Promise<void> {
  await cluster.client.create(`${root}/clusterworkflowtemplates`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ClusterWorkflowTemplate',
    metadata: { name: cluster.named('contract') },
    spec: { templates: [{ name: 'exit', plugin: { tiphys: { node: 'exit' } } }] },
  });
}

export async function readWorkflow(cluster: ContractCluster, name: string): Promise<SeenWorkflow> {
  const seen = await cluster.client.get<SeenWorkflow>(workflowPath(name));
  if (seen === undefined) throw new Error(`there is no Workflow ${name}`);
  return seen;
}

export function readTaskSet(cluster: ContractCluster, name: string): Promise<SeenTaskSet | undefined> {
  return cluster.client.get<SeenTaskSet>(taskSetPath(name));
}

/** The nodes that agents are asked to do now, by what `node` of their plugin says: name → id. */
export async function openTasks(cluster: ContractCluster, name: string): Promise<ReadonlyMap<string, string>> {
  const tasks = Object.entries((await readTaskSet(cluster, name))?.spec?.tasks ?? {});
  return new Map(tasks.map(([id, { plugin }]) => [plugin?.tiphys?.node ?? '', id] as const));
}

/** The id of a task, once agents are asked to do it. */
export function given(cluster: ContractCluster, name: string, node: string): Promise<string> {
  return cluster.eventually(`${name} asks agents for ${node}`, async () => (await openTasks(cluster, name)).get(node));
}

/** Says a word about tasks, all in one write, as soon as agents are asked to do them. */
export async function say(
  cluster: ContractCluster,
  name: string,
  words: Readonly<Record<string, Word>>,
): Promise<void> {
  const nodes: Record<string, Word> = {};
  for (const [node, word] of Object.entries(words)) nodes[await given(cluster, name, node)] = word;
  await cluster.client.mergePatch(`${taskSetPath(name)}/status`, { status: { nodes } });
}

export const succeeded = { phase: 'Succeeded' } as const;
export const failed = { phase: 'Failed', message: 'no' } as const;

export function nodeNamed(seen: SeenWorkflow, displayName: string): SeenNode | undefined {
  return Object.values(seen.status?.nodes ?? {}).find((node) => node.displayName === displayName);
}

/** Waits until the node is in this phase. */
export function untilNode(cluster: ContractCluster, name: string, [node, phase]: readonly [string, string]) {
  return cluster.eventually(`${node} of ${name} is ${phase}`, async () => {
    const found = nodeNamed(await readWorkflow(cluster, name), node);
    return found?.phase === phase ? found : undefined;
  });
}

/** Waits until nothing more will happen to it by itself. */
export function untilOver(cluster: ContractCluster, name: string): Promise<SeenWorkflow> {
  return cluster.eventually(`${name} is over`, async () => {
    const seen = await readWorkflow(cluster, name);
    return ends.has(seen.status?.phase ?? '') ? seen : undefined;
  });
}

const ends = new Set(['Succeeded', 'Failed', 'Error']);

/** `a: Succeeded`, one line for each node that is a task of the plan. */
export function phases({ metadata, status }: SeenWorkflow): Readonly<Record<string, string>> {
  const nodes = Object.values(status?.nodes ?? {}).filter(({ name }) => isTask(name, metadata.name));
  return Object.fromEntries(nodes.map(({ displayName, phase }) => [displayName, phase]));
}

function isTask(name: string, workflow: string): boolean {
  return name.startsWith(`${workflow}.`) && !name.startsWith(`${workflow}.onExit`);
}

/** Every state of one Workflow that a watch shows from now on, oldest first. */
export async function recordWorkflow(cluster: ContractCluster, name: string): Promise<readonly SeenWorkflow[]> {
  const states: SeenWorkflow[] = [];
  const path = `${workflows}?watch=true&allowWatchBookmarks=false&fieldSelector=metadata.name%3D${name}`;
  const events = watchStream<SeenWorkflow>(cluster, { path, idleMs: 600_000, opened: () => undefined }, cluster.signal);
  const first = await events.next();
  if (first.done !== true) states.push(first.value.object);
  void (async () => {
    for await (const { object } of events) states.push(object);
  })().catch(() => undefined);
  return states;
}

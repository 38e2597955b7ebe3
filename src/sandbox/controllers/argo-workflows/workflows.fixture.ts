import { createSandbox, type Sandbox } from '../../sandbox.ts';
import type { KubeObject } from '../../store/objects.ts';
import { type VirtualTime, virtualTime } from '../../time.ts';
import type { NodeStatus, Template, Workflow, WorkflowTaskSet } from './workflow.ts';

export interface Cluster {
  readonly sandbox: Sandbox;
  readonly time: VirtualTime;
  create(kind: string, name: string, spec: object): Promise<void>;
  patch(path: string, body: object): Promise<void>;
  workflow(name: string): Workflow;
  taskSet(name: string): WorkflowTaskSet | undefined;
  /** The node with this display name. */
  node(workflow: string, displayName: string): NodeStatus | undefined;
  /** Lets time pass until it is so, or says what did not come true. */
  until(sentence: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  sleep(ms: number): Promise<void>;
}

/** An agent's answer to a task; undefined leaves it alone. */
export type Answer = (template: Template, id: string) => object | undefined;

/** A sandbox for Workflows, with an agent that answers each task after 10 ms. */
export function workflowCluster(answer: Answer = () => ({ phase: 'Succeeded' })): Cluster {
  const time = virtualTime();
  const sandbox = createSandbox({ record: 'all', time });
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answered = await sandbox.handle({
      method,
      path,
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status}`);
  };
  const get = (kind: string, name: string): KubeObject | undefined => {
    const type = sandbox.types.byKind('argoproj.io/v1alpha1', kind);
    return type === undefined ? undefined : sandbox.store.get(type, 'argo', name);
  };
  startAgent(sandbox, { answer, send });
  const cluster: Cluster = {
    sandbox,
    time,
    async create(kind, name, spec) {
      const isCluster = kind.startsWith('Cluster');
      const path = `${root}${isCluster ? '' : '/namespaces/argo'}/${kind.toLowerCase()}s`;
      const metadata = isCluster ? { name } : { name, namespace: 'argo' };
      await time.run(send('POST', path, { apiVersion: 'argoproj.io/v1alpha1', kind, metadata, spec }));
    },
    patch: (path, body) => time.run(send('PATCH', `${root}/namespaces/argo/${path}`, body)),
    workflow: (name) => get('Workflow', name) as Workflow,
    taskSet: (name) => get('WorkflowTaskSet', name),
    node: (name, displayName) =>
      Object.values(cluster.workflow(name).status?.nodes ?? {}).find((node) => node.displayName === displayName),
    async until(sentence, isSo, withinMs = 60_000) {
      const deadline = time.now() + withinMs;
      const wait = async (): Promise<void> => {
        while (!isSo()) {
          if (time.now() > deadline) throw new Error(`it did not come true: ${sentence}`);
          await time.sleep(10);
        }
      };
      await time.run(wait());
    },
    sleep: (ms) => time.run(time.sleep(ms)),
  };
  return cluster;
}

/** A plugin template with one input, and a DAG over it. */
export function planOf(tasks: readonly object[], more: object = {}): object {
  const inputs = { parameters: [{ name: 'node' }] };
  const act = { name: 'act', inputs, plugin: { tiphys: { node: '{{inputs.parameters.node}}' } } };
  return { entrypoint: 'plan', templates: [{ name: 'plan', dag: { failFast: false, tasks } }, act], ...more };
}

export function task(name: string, depends?: string): object {
  const args = { parameters: [{ name: 'node', value: name }] };
  return { name, template: 'act', arguments: args, ...(depends === undefined ? {} : { depends }) };
}

const root = '/apis/argoproj.io/v1alpha1';

function startAgent(
  { store, time }: Sandbox,
  { answer, send }: { answer: Answer; send: (method: string, path: string, body: object) => Promise<void> },
): void {
  const done = new Set<string>();
  store.subscribe(({ object, type }) => {
    if (object.kind !== 'WorkflowTaskSet' || type === 'DELETED') return;
    const tasks = Object.entries((object as WorkflowTaskSet).spec?.tasks ?? {}).filter(([id]) => !done.has(id));
    const results = tasks.flatMap(([id, template]) => {
      const result = answer(template, id);
      return result === undefined ? [] : [[id, result] as const];
    });
    if (results.length === 0) return;
    for (const [id] of results) done.add(id);
    const path = `${root}/namespaces/argo/workflowtasksets/${object.metadata.name}/status`;
    time.after(10, () => void send('PATCH', path, { status: { nodes: Object.fromEntries(results) } }));
  });
}

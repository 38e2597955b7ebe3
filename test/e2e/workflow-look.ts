import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { nodeOf } from '../../src/core/workflow/task-name.ts';
import type { NodeStatus, Workflow } from '../../src/sandbox/controllers/argo-workflows/workflow.ts';
import type { KubeObject, ResourceType } from '../../src/sandbox/store/objects.ts';
import { withMeta } from '../../src/sandbox/store/store.ts';
import type { Bench } from '../harness.ts';

type Place = Pick<Bench, 'sandbox' | 'platform'>;

/** All Workflows of the cluster, oldest first. */
export function workflows(on: Place): readonly Workflow[] {
  return on.sandbox.store.list(typeOf(on, 'Workflow')).map((object) => object as Workflow);
}

export function workflow(on: Place): Workflow {
  const all = workflows(on);
  const last = all.at(-1);
  if (last === undefined) throw new Error('there is no Workflow');
  return last;
}

/** Node of the plan → phase of its task, from the Workflow itself. */
export function phases(of: Workflow): Record<string, string> {
  const { name } = of.metadata;
  const tasks = nodes(of).filter((node) => node.name.startsWith(`${name}.`) && !node.name.startsWith(`${name}.onExit`));
  return Object.fromEntries(tasks.map((node) => [nodeOf(node.name.slice(name.length + 1)), node.phase]));
}

export function nodes({ status }: Workflow): readonly NodeStatus[] {
  return Object.values(status?.nodes ?? {});
}

/** Applications that a window of ours holds. */
export function held(on: Place): readonly string[] {
  const all = on.sandbox.store.list(typeOf(on, 'AppProject'));
  return [...new Set(all.flatMap((project) => heldIn(windowsOf(project), on.platform.name)))].sort();
}

/** Who has the run's lease; one that has run out is free. */
export function leaseOf(on: Place): string | undefined {
  const type = on.sandbox.types.byPlural('coordination.k8s.io', 'leases') as ResourceType;
  const { argocdNamespace } = on.platform.environment;
  const spec = on.sandbox.store.get(type, argocdNamespace, `tiphys-${on.platform.name}`)?.['spec'] as
    | { holderIdentity: string; renewTime: string; leaseDurationSeconds: number }
    | undefined;
  if (spec === undefined) return undefined;
  const runsOutAt = Date.parse(spec.renewTime) + spec.leaseDurationSeconds * 1000;
  return runsOutAt <= on.sandbox.time.now() ? undefined : spec.holderIdentity;
}

/** Applications with an operation that was asked for and has not ended. */
export function underWay(on: Place): readonly string[] {
  const all = on.sandbox.store.list(typeOf(on, 'Application'));
  return all.filter(({ operation }) => operation !== undefined).map(({ metadata }) => metadata.name);
}

/** An Argo CD that takes its time, and what it says of an operation so long after it was asked for. */
export const slowly = { operationPickup: () => 2_000, operationStart: () => 2_000 };
export const stages = [
  { stage: 'asked for', afterMs: 1_000, state: [undefined, undefined] },
  { stage: 'taken up', afterMs: 3_000, state: ['Running', undefined] },
  { stage: 'looked at once', afterMs: 5_000, state: ['Running', 'Sync operation blocked by sync window'] },
] as const;

/** Phase and message of the last operation. */
export function operationOf(on: Place, name: string): readonly [string | undefined, string | undefined] {
  const { argocdNamespace } = on.platform.environment;
  const status = on.sandbox.store.get(typeOf(on, 'Application'), argocdNamespace, name)?.['status'];
  const { operationState: last } = (status ?? {}) as { operationState?: { phase?: string; message?: string } };
  return [last?.phase, last?.message];
}

/** Changes the Workflow as somebody with kubectl would. */
function editWorkflow(on: Place, edit: (workflow: Workflow) => KubeObject): void {
  const { name, namespace } = workflow(on).metadata;
  on.sandbox.store.change(typeOf(on, 'Workflow'), namespace, name, 'administrator', (object) =>
    edit(object as Workflow),
  );
}

/** `argo stop` and `argo terminate`. */
export function shutDown(on: Place, shutdown: 'Stop' | 'Terminate'): void {
  editWorkflow(on, (object) => ({ ...object, spec: { ...object.spec, shutdown } }));
}

export function deleteWorkflow(on: Place): void {
  const { name, namespace } = workflow(on).metadata;
  on.sandbox.store.remove(typeOf(on, 'Workflow'), namespace, name, 'administrator');
}

/** `argo retry`, as Argo's server does it: failed nodes and all below them go, ancestors run again, the same object goes on. */
export function retryWorkflow(on: Place): void {
  editWorkflow(on, (object) => {
    const all = object.status?.nodes ?? {};
    const gone = new Set<string>();
    const drop = (id: string): void => {
      if (gone.has(id)) return;
      gone.add(id);
      for (const child of all[id]?.children ?? []) drop(child);
    };
    for (const node of Object.values(all)) {
      const isWork = node.type === 'Plugin' || node.type === 'Pod' || node.type === 'Skipped';
      if ((isWork && node.phase !== 'Succeeded') || node.name.includes('.onExit')) drop(node.id);
    }
    const kept = Object.entries(all).filter(([id]) => !gone.has(id));
    const nodesAgain = Object.fromEntries(kept.map(([id, node]) => [id, runningAgain(node, gone)]));
    const { 'workflows.argoproj.io/completed': _completed, ...labels } = object.metadata.labels ?? {};
    const { shutdown: _shutdown, ...spec } = object.spec;
    const status = { ...object.status, phase: '', message: '', finishedAt: null, nodes: nodesAgain };
    return withMeta({ ...object, spec, status }, { labels });
  });
}

function runningAgain(node: NodeStatus, gone: ReadonlySet<string>): NodeStatus {
  const children = node.children?.filter((id) => !gone.has(id));
  const rest = children === undefined ? node : { ...node, children };
  if (node.type !== 'DAG' && node.type !== 'Steps') return rest;
  const { message: _message, ...silent } = rest;
  return { ...silent, phase: 'Running', finishedAt: null };
}

/** Lets time pass until it is so, or says what did not come true. */
export function until(
  on: Pick<Bench, 'time'>,
  sentence: string,
  { isSo, withinMs = 600_000 }: { readonly isSo: () => boolean; readonly withinMs?: number },
): Promise<void> {
  const deadline = on.time.now() + withinMs;
  const wait = async (): Promise<void> => {
    while (!isSo()) {
      if (on.time.now() > deadline) throw new Error(`it did not come true: ${sentence}`);
      await on.time.sleep(100);
    }
  };
  return on.time.run(wait());
}

/** Does it so long after the first operation of this Application was asked for. */
export function afterRequest(
  on: Place & Pick<Bench, 'time'>,
  name: string,
  { afterMs, act }: { readonly afterMs: number; readonly act: () => void },
): void {
  let done = false;
  on.sandbox.store.subscribe(({ object }) => {
    if (done || object.kind !== 'Application' || object.metadata.name !== name || object['operation'] === undefined)
      return;
    done = true;
    on.time.after(afterMs, act);
  });
}

/** Does it at the first event of this type about this node. */
export function at(type: RunEvent['type'], node: string, then: () => void): (event: RunEvent) => void {
  let done = false;
  return (event) => {
    if (done || event.type !== type || !('node' in event) || event.node !== node) return;
    done = true;
    then();
  };
}

function typeOf({ sandbox }: Place, kind: string): ResourceType {
  const type = sandbox.types.byKind('argoproj.io/v1alpha1', kind);
  if (type === undefined) throw new Error(`the cluster has no kind ${kind}`);
  return type;
}

import { type Finding, failed, passed, warned } from './finding.ts';
import { quantity } from './quantity.ts';

/** As much of a Node object as phase 0 looks at. */
export interface NodeObject {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly { key: string; effect: string }[] };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; message?: string }[];
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

/** A node of the inventory. */
export interface ClusterNode {
  readonly name: string;
  readonly roles: readonly string[];
  readonly isReady: boolean;
  /** Ready, and ordinary pods may go there. */
  readonly takesPods: boolean;
  readonly version: string;
  readonly system: string;
  readonly cpu: number;
  readonly memoryBytes: number;
  readonly pods: number;
  /** What is wrong with it, in the words of its kubelet. */
  readonly complaints: readonly string[];
}

/** A Node object as the inventory has it. */
export function clusterNode({ metadata, spec = {}, status = {} }: NodeObject): ClusterNode {
  const conditions = status.conditions ?? [];
  const isReady = conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return {
    name: metadata.name,
    roles: rolesOf(metadata.labels ?? {}),
    isReady,
    takesPods: isReady && !isClosed(spec),
    ...describeNode(status.nodeInfo ?? {}),
    ...amountsOf(status.allocatable ?? {}),
    complaints: conditions.flatMap(complaint),
  };
}

function isClosed({ unschedulable, taints = [] }: NodeObject['spec'] & object): boolean {
  return unschedulable === true || taints.some(({ effect }) => effect !== 'PreferNoSchedule');
}

function describeNode({ kubeletVersion = '', osImage = '', architecture = '' }: Readonly<Record<string, string>>) {
  return { version: kubeletVersion, system: [osImage, architecture].filter((part) => part !== '').join(', ') };
}

function amountsOf({ cpu, memory, pods }: Readonly<Record<string, string>>) {
  return { cpu: quantity(cpu) ?? 0, memoryBytes: quantity(memory) ?? 0, pods: quantity(pods) ?? 0 };
}

/** Whether it is there for the work of apps: not for the control plane alone. */
export function isWorker({ roles, takesPods }: ClusterNode): boolean {
  return takesPods || !roles.some((role) => role === 'control-plane' || role === 'master');
}

/** R3.4: nodes Ready, pods can be scheduled. One broken node of many is no reason to stop. */
export function judgeNodes(nodes: readonly ClusterNode[]): readonly Finding[] {
  if (nodes.length === 0)
    return [
      failed(
        'nodes',
        'the cluster has no node',
        'Join at least one node to the cluster; `kubectl get nodes` must list it.',
      ),
    ];
  const open = nodes.filter(({ takesPods }) => takesPods).length;
  const troubles = nodes.filter(({ isReady, complaints }) => !isReady || complaints.length > 0).map(trouble);
  if (open === 0) {
    const fix = 'Look at `kubectl describe nodes`: taints, conditions, a network plugin that is missing.';
    return [failed('nodes', `none of ${nodes.length} nodes can take a pod`, fix), ...troubles];
  }
  return [passed('nodes', `${open} of ${nodes.length} can take pods`), ...troubles];
}

function trouble({ name, complaints }: ClusterNode): Finding {
  const saw = complaints.length === 0 ? 'not Ready; it does not say why' : complaints.join('; ');
  return warned(`node ${name}`, saw, `\`kubectl describe node ${name}\` tells more.`);
}

function complaint({ type, status, message }: { type: string; status: string; message?: string }): string[] {
  const said = message === undefined || message === '' ? '' : `: ${message}`;
  if (type === 'Ready') return status === 'True' ? [] : [`not Ready${said}`];
  return /Pressure|NetworkUnavailable/.test(type) && status === 'True' ? [`${type}${said}`] : [];
}

function rolesOf(labels: Readonly<Record<string, string>>): string[] {
  return Object.keys(labels)
    .flatMap((key) => /^node-role\.kubernetes\.io\/(.+)$/.exec(key)?.[1] ?? [])
    .sort();
}

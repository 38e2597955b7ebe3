import type { ClusterNode } from './cluster-nodes.ts';
import { type Finding, passed, warned } from './finding.ts';
import { bytesText, quantity, round } from './quantity.ts';

/** As much of a Pod object as is counted. */
export interface PodObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { resources?: { requests?: Readonly<Record<string, string>> } }[];
  };
  readonly status?: { readonly phase?: string };
}

export interface Amount {
  readonly cpu: number;
  readonly memoryBytes: number;
  readonly pods: number;
}

/** What a platform of so many apps wants free when nobody says more: a guess, for a warning. */
export function usualWants(apps: number): Amount {
  return { cpu: 2 + 0.25 * apps, memoryBytes: (4 + 0.5 * apps) * 2 ** 30, pods: 20 + 4 * apps };
}

/** What nodes that take pods have, and what is not asked for yet. */
export function freeOf(nodes: readonly ClusterNode[], pods: readonly PodObject[]): { total: Amount; free: Amount } {
  const open = nodes.filter(({ takesPods }) => takesPods);
  const names = new Set(open.map(({ name }) => name));
  const total = sum(open);
  const asked = sum(pods.filter((pod) => isCounted(pod, names)).map(requests));
  return {
    total,
    free: {
      cpu: total.cpu - asked.cpu,
      memoryBytes: total.memoryBytes - asked.memoryBytes,
      pods: total.pods - asked.pods,
    },
  };
}

/** R3.4: capacity is a warning only; the schedulers of this world surprise everybody. */
export function judgeCapacity({ total, free }: { total: Amount; free: Amount }, wanted: Amount): readonly Finding[] {
  const fix =
    'Add nodes, or say what the platform really needs: `preflight.capacity: { cpu: …, memory: … }` in environment.yaml.';
  const row = (about: string, isEnough: boolean, saw: string): Finding =>
    isEnough ? passed(about, saw) : warned(about, saw, fix);
  return [
    row(
      'CPU',
      free.cpu >= wanted.cpu,
      `${round(free.cpu)} of ${round(total.cpu)} cores are free, ${round(wanted.cpu)} wanted`,
    ),
    row(
      'memory',
      free.memoryBytes >= wanted.memoryBytes,
      `${bytesText(free.memoryBytes)} of ${bytesText(total.memoryBytes)} are free, ${bytesText(wanted.memoryBytes)} wanted`,
    ),
    row('pods', free.pods >= wanted.pods, `room for ${free.pods} of ${total.pods} pods, ${wanted.pods} wanted`),
  ];
}

function sum(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (all, one) => ({
      cpu: all.cpu + one.cpu,
      memoryBytes: all.memoryBytes + one.memoryBytes,
      pods: all.pods + one.pods,
    }),
    { cpu: 0, memoryBytes: 0, pods: 0 },
  );
}

function isCounted({ spec, status }: PodObject, nodes: ReadonlySet<string>): boolean {
  return nodes.has(spec?.nodeName ?? '') && !['Succeeded', 'Failed'].includes(status?.phase ?? '');
}

function requests({ spec }: PodObject): Amount {
  const asked = (spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  const total = (name: string): number => asked.reduce((all, one) => all + (quantity(one[name]) ?? 0), 0);
  return { cpu: total('cpu'), memoryBytes: total('memory'), pods: 1 };
}

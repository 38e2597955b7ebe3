import { describe, expect, it } from 'vitest';
import { freeOf, judgeCapacity, usualWants } from './capacity.ts';
import { clusterNode, isWorker, judgeNodes, type NodeObject } from './cluster-nodes.ts';
import { bytesText, quantity } from './quantity.ts';

describe('nodes (R3.4)', () => {
  it('fail when none can take a pod, whatever the reason', () => {
    const [first] = judgeNodes(
      [
        node('a', { ready: 'False' }),
        node('b', { spec: { unschedulable: true } }),
        node('c', { spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] } }),
      ].map(clusterNode),
    );
    expect(first).toMatchObject({ verdict: 'fail', saw: 'none of 3 nodes can take a pod' });
    expect(judgeNodes([])[0]?.verdict).toBe('fail');
  });

  it('warn of a broken one beside good ones, in the words of its kubelet', () => {
    const findings = judgeNodes([node('a'), node('b', { ready: 'False' })].map(clusterNode));
    expect(findings.map(({ verdict, about }) => [verdict, about])).toEqual([
      ['pass', 'nodes'],
      ['warn', 'node b'],
    ]);
    expect(findings[1]?.saw).toBe('not Ready: container runtime network not ready');
  });

  it('count as workers unless the control plane has them for itself', () => {
    const control = { 'node-role.kubernetes.io/control-plane': '' };
    const closed = { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] };
    expect(isWorker(clusterNode(node('a', { labels: control, spec: closed })))).toBe(false);
    expect(isWorker(clusterNode(node('a', { labels: control })))).toBe(true);
    expect(isWorker(clusterNode(node('a', { ready: 'False' })))).toBe(true);
  });
});

describe('capacity (R3.4)', () => {
  it('is what nodes that take pods have, less what pods there ask for', () => {
    const nodes = [node('a'), node('b', { ready: 'False' })].map(clusterNode);
    const pods = [
      pod('a', '500m', '1Gi'),
      pod('a', '250m', '512Mi', 'Succeeded'),
      pod('b', '4', '8Gi'),
      pod(undefined, '4', '8Gi'),
    ];
    const { total, free } = freeOf(nodes, pods);
    expect(total).toEqual({ cpu: 4, memoryBytes: 16 * 2 ** 30, pods: 110 });
    expect(free).toEqual({ cpu: 3.5, memoryBytes: 15 * 2 ** 30, pods: 109 });
  });

  it('is never more than a warning', () => {
    const little = { cpu: 1, memoryBytes: 2 ** 30, pods: 5 };
    const findings = judgeCapacity({ total: little, free: little }, usualWants(47));
    expect(findings.map(({ verdict }) => verdict)).toEqual(['warn', 'warn', 'warn']);
    expect(findings[0]?.saw).toBe('1 of 1 cores are free, 13.8 wanted');
  });
});

describe('quantity', () => {
  it.each([
    ['4', 4],
    ['3920m', 3.92],
    ['16Gi', 17_179_869_184],
    ['16374356Ki', 16_767_340_544],
    ['1e3', 1000],
    ['128E', 128e18],
    ['0.5', 0.5],
  ])('reads %s', (text, value) => {
    expect(quantity(text)).toBeCloseTo(value);
  });

  it('reads no nonsense', () => {
    expect(quantity('much')).toBe(undefined);
    expect(quantity(undefined)).toBe(undefined);
    expect(bytesText(0)).toBe('0 B');
    expect(bytesText(16 * 2 ** 30)).toBe('16 GiB');
  });
});

interface NodeOptions {
  readonly ready?: string;
  readonly spec?: NodeObject['spec'];
  readonly labels?: Readonly<Record<string, string>>;
}

function node(name: string, { ready = 'True', spec = {}, labels = {} }: NodeOptions = {}): NodeObject {
  const message = ready === 'True' ? 'kubelet is posting ready status' : 'container runtime network not ready';
  return {
    metadata: { name, labels },
    spec,
    status: {
      conditions: [{ type: 'Ready', status: ready, message }],
      allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
      nodeInfo: { kubeletVersion: 'v1.34.1', osImage: 'Debian 12', architecture: 'amd64' },
    },
  };
}

function pod(nodeName: string | undefined, cpu: string, memory: string, phase = 'Running') {
  const containers = [{ resources: { requests: { cpu, memory } } }];
  return {
    metadata: { name: 'p' },
    spec: { ...(nodeName === undefined ? {} : { nodeName }), containers },
    status: { phase },
  };
}

import { beforeEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { createDiscovery, type Discovery } from './discovery.ts';
import { steppedClock } from './testing/stepped-clock.ts';
import type { Transport } from './transport.ts';

let answers: Record<string, object | number>;
let asked: string[];
let discovery: Discovery;

beforeEach(() => {
  asked = [];
  answers = {
    '/apis': { groups: [group('apps/v1'), group('argoproj.io/v1alpha1'), group('metrics.k8s.io/v1beta1')] },
    '/apis/apps': group('apps/v1'),
    '/api/v1': { resources: [type('namespaces', 'Namespace', false), type('pods', 'Pod'), type('pods/log', 'Pod')] },
    '/apis/apps/v1': { resources: [type('deployments', 'Deployment'), type('deployments/scale', 'Scale')] },
    '/apis/argoproj.io/v1alpha1': { resources: [{ ...type('applications', 'Application'), verbs: ['get'] }] },
    '/apis/metrics.k8s.io/v1beta1': 503,
  };
  discovery = createDiscovery(createClient(transport, { clock: steppedClock() }));
});

const transport: Transport = async ({ path }) => {
  asked.push(path);
  const answer = answers[path] ?? 404;
  const status = typeof answer === 'number' ? answer : 200;
  return { status, headers: {}, body: bodyOf(JSON.stringify(answer)) };
};

it('knows the path of a type by version or by group, and asks once', async () => {
  const deployment = await discovery.resourceFor('apps/v1', 'Deployment');
  expect(deployment?.path('web', 'nginx')).toBe('/apis/apps/v1/namespaces/web/deployments/nginx');
  expect(deployment?.path()).toBe('/apis/apps/v1/deployments');
  expect(await discovery.resourceFor('apps', 'Deployment')).toMatchObject({ apiVersion: 'apps/v1', namespaced: true });
  expect((await discovery.resourceFor('v1', 'Namespace'))?.path('ignored', 'web')).toBe('/api/v1/namespaces/web');
  expect((await discovery.resourceFor('', 'Pod'))?.path('web')).toBe('/api/v1/namespaces/web/pods');
  expect(asked).toEqual(['/apis/apps/v1', '/apis/apps', '/api/v1']);
});

it('asks again for what was missing, because definitions arrive during a run', async () => {
  expect(await discovery.resourceFor('ceph.rook.io/v1', 'CephCluster')).toBeUndefined();
  expect(await discovery.resourceFor('ceph.rook.io', 'CephCluster')).toBeUndefined();
  answers['/apis/ceph.rook.io'] = group('ceph.rook.io/v1');
  answers['/apis/ceph.rook.io/v1'] = { resources: [] };
  expect(await discovery.resourceFor('ceph.rook.io', 'CephCluster')).toBeUndefined();
  answers['/apis/ceph.rook.io/v1'] = { resources: [type('cephclusters', 'CephCluster')] };
  expect(await discovery.resourceFor('ceph.rook.io', 'CephCluster')).toBeDefined();
});

it('gives all types that can be listed, and names the groups that do not answer', async () => {
  const { resources, unavailable } = await discovery.allResources();
  expect(resources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
    'v1 Namespace',
    'v1 Pod',
    'apps/v1 Deployment',
  ]);
  expect(unavailable).toEqual(['metrics.k8s.io/v1beta1']);
});

function group(groupVersion: string): object {
  return { name: groupVersion.split('/')[0], preferredVersion: { groupVersion } };
}

function type(name: string, kind: string, namespaced = true): object {
  return { name, kind, namespaced, verbs: ['get', 'list'] };
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

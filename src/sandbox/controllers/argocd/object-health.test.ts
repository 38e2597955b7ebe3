import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../store/objects.ts';
import { objectHealth } from './object-health.ts';

const ceph = (health?: string) => ({
  apiVersion: 'ceph.rook.io/v1',
  kind: 'CephCluster',
  ...(health === undefined ? {} : { status: { phase: 'Ready', ceph: { health } } }),
});
const rolledOut = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
const deployment = (status: object, spec: object = {}) => ({ apiVersion: 'apps/v1', kind: 'Deployment', spec, status });
const exceeded = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];

const nothingInstalled = (): undefined => undefined;

describe('objectHealth says what Argo CD says', () => {
  test.each<[string, object, string | undefined]>([
    ['a rolled out Deployment', deployment(rolledOut), 'Healthy'],
    [
      'a Deployment whose status is of an older generation',
      deployment({ ...rolledOut, observedGeneration: 1 }),
      'Progressing',
    ],
    ['a Deployment beyond its deadline', deployment({ ...rolledOut, conditions: exceeded }), 'Degraded'],
    ['a paused Deployment', deployment({}, { paused: true }), 'Suspended'],
    [
      'a StatefulSet without ready pods',
      { apiVersion: 'apps/v1', kind: 'StatefulSet', status: { observedGeneration: 2 } },
      'Progressing',
    ],
    ['a bound claim', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', status: { phase: 'Bound' } }, 'Healthy'],
    ['a lost claim', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', status: { phase: 'Lost' } }, 'Degraded'],
    [
      'a load balancer without address',
      { apiVersion: 'v1', kind: 'Service', spec: { type: 'LoadBalancer' } },
      'Progressing',
    ],
    [
      'a failed Job',
      { apiVersion: 'batch/v1', kind: 'Job', status: { conditions: [{ type: 'Failed', status: 'True' }] } },
      'Degraded',
    ],
    ['Ceph without status', ceph(), 'Progressing'],
    ['Ceph with a warning: Degraded, which is the trap', ceph('HEALTH_WARN'), 'Degraded'],
    ['Ceph', ceph('HEALTH_OK'), 'Healthy'],
    [
      'a postgresql that runs',
      { apiVersion: 'acid.zalan.do/v1', kind: 'postgresql', status: { PostgresClusterStatus: 'Running' } },
      'Healthy',
    ],
    ['a ConfigMap: no check', { apiVersion: 'v1', kind: 'ConfigMap' }, undefined],
    [
      'a RedisCluster that has failed: no check either',
      { apiVersion: 'redis.redis.opstreelabs.in/v1beta2', kind: 'RedisCluster', status: { state: 'Failed' } },
      undefined,
    ],
    [
      'an Application: no check by default',
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', status: { health: { status: 'Degraded' } } },
      undefined,
    ],
  ])('%s', (_what, object, expected) => {
    const whole = { metadata: { name: 'it', generation: 2 }, ...object } as KubeObject;
    expect(objectHealth(whole, nothingInstalled)).toBe(expected);
  });

  test('what is being deleted is Progressing, whatever its kind', () => {
    const metadata = { name: 'it', deletionTimestamp: '2026-01-05T03:00:00Z' };
    expect(objectHealth({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, nothingInstalled)).toBe('Progressing');
  });

  test('a nested Application counts only when a check for it is installed', () => {
    const child: KubeObject = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'it' } };
    expect(objectHealth(child, nothingInstalled)).toBeUndefined();
    expect(objectHealth(child, (kind) => (kind === 'argoproj.io/Application' ? 'Degraded' : undefined))).toBe(
      'Degraded',
    );
  });

  test('an installed check comes before the built-in one', () => {
    const warning = { metadata: { name: 'it' }, ...ceph('HEALTH_WARN') };
    expect(objectHealth(warning, () => 'Progressing')).toBe('Progressing');
  });
});

import { describe, expect, it } from 'vitest';
import { describeFailure } from './describe-failure.ts';

const signs: readonly (readonly [because: string, name: string])[] = [
  ['Vault vault/vault-0: sealed', 'Vault sealed'],
  ['CephCluster ceph: HEALTH_WARN, 1 osd down', 'Ceph not healthy'],
  ['waits for finalizer resources-finalizer.argocd.argoproj.io', 'Stuck finalizer'],
  ['applications.argoproj.io is forbidden', 'Credentials refused'],
  ['the API server is unreachable', 'Cluster unreachable'],
  ['Application is empty', 'Empty application'],
  ['Deployment web: Missing', 'Missing resources'],
  ['namespace data not found', 'Target not found'],
  ['still OutOfSync after 5m 00s', 'Out of sync'],
  ['Deployment web: Degraded', 'Health degraded'],
  ['sync of web failed: invalid manifest', 'Sync failed'],
  ['something else', 'Health check failed'],
];

describe('describeFailure (R4.7)', () => {
  it.each(signs)('knows “%s” as %s and has a recovery for it', (because, name) => {
    const failure = describeFailure(failed({ because }), 'deploy');
    expect(failure.name).toBe(name);
    expect(failure.hint).not.toBe('');
  });

  it('keeps the recovery of whoever saw the failure', () => {
    expect(describeFailure(failed({ because: 'sealed', hint: 'use the spare key' }), 'deploy').hint).toBe(
      'use the spare key',
    );
  });

  it('names a time-out and a removal by what they are when the sentence says nothing', () => {
    expect(describeFailure(failed({ because: '?', timedOut: true }), 'deploy').name).toBe('Timed out');
    expect(describeFailure(failed({ because: '?' }), 'teardown').name).toBe('Removal failed');
  });

  it('has a sentence even when nobody gave one', () => {
    expect(describeFailure(failed({}), 'deploy').because).toBe('no reason was given');
  });
});

describe('describeFailure of a bootstrap (R4.7, RFC 4.2)', () => {
  const roles: readonly (readonly [because: string, name: string])[] = [
    ['Look at the release: the cluster is unreachable at https://127.0.0.1:1', 'Cluster unreachable'],
    [
      'customresourcedefinitions.apiextensions.k8s.io is forbidden: User "x" cannot create resource',
      'Definitions refused',
    ],
    ['User "x" cannot create resource "customresourcedefinitions" in API group "y"', 'Definitions refused'],
    ['deployments.apps is forbidden: User "x" cannot create resource "deployments"', 'Permission missing'],
    ['Install the chart argo-cd: timed out; argocd-0: 0/3 nodes are available: 3 Insufficient cpu', 'No node takes it'],
    ['argocd is not ready after 300 s: Deployment argocd-server has 0 of 1', 'Not ready in time'],
    ['the chart argo-cd is missing', 'Bootstrap failed'],
  ];
  it.each(roles)('knows “%s” as %s, and says what to do besides running it again', (because, name) => {
    const again = 'Mend what the message names, then run the same command again.';
    const failure = describeFailure(failed({ because, hint: again }), 'bootstrap');
    expect(failure.name).toBe(name);
    expect(failure.hint.startsWith(again)).toBe(true);
    expect(failure.hint.length > again.length).toBe(name !== 'Bootstrap failed');
  });
});

function failed(more: { because?: string; hint?: string; timedOut?: boolean }) {
  return { name: 'web', stack: 's', state: 'failed', attempts: 1, waitedFor: [], ...more } as const;
}

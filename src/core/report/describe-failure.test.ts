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

function failed(more: { because?: string; hint?: string; timedOut?: boolean }) {
  return { name: 'web', stack: 's', state: 'failed', attempts: 1, waitedFor: [], ...more } as const;
}

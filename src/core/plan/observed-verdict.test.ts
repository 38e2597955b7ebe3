import { describe, expect, it } from 'vitest';
import type { App } from '../platform/platform.ts';
import { commit, healthy, observed, platformWith } from './observed.fixture.ts';
import type { LastOperation, ObservedApplication } from './observed.ts';
import { observedVerdict } from './observed-verdict.ts';

const other = '2222222222222222222222222222222222222222';
const platform = platformWith('  s:\n    apps:\n      web: {}\n      lax: { settles: false, mayBeEmpty: true }\n');
const web = platform.apps.get('web') as App;
const lax = platform.apps.get('lax') as App;
const last = healthy('web').lastOperation as LastOperation;
const pinned = { ...platform.environment, gitRevision: commit };

describe('what the record says of an app', () => {
  const rows: [sentence: string, seen: Partial<ObservedApplication> | undefined, reason: string][] = [
    ['is missing', undefined, 'Application missing'],
    ['is going away', { deleting: true }, 'Application is being deleted'],
    [
      'is being synced by somebody',
      { operation: { step: undefined, run: undefined, initiatedBy: 'alice', automated: false, selective: false } },
      'an operation by alice is running',
    ],
    [
      'cannot be compared',
      { conditions: [{ type: 'ComparisonError', message: 'repository not accessible' }] },
      'ComparisonError: repository not accessible',
    ],
    ['was never compared', { reconciledAt: undefined }, 'never compared with Git'],
    [
      'failed its last sync',
      { lastOperation: { ...last, phase: 'Failed', message: 'a webhook said no' } },
      'the last sync failed: a webhook said no',
    ],
    [
      'had an error in its last sync',
      { lastOperation: { ...last, phase: 'Error', message: 'boom' } },
      'the last sync ended in Error: boom',
    ],
    [
      'was judged before its last sync ended',
      { reconciledAt: '2026-01-05T03:00:09Z' },
      'its verdict is older than its last sync',
    ],
    ['differs from Git', { sync: { status: 'OutOfSync', revision: commit } }, 'OutOfSync with Git'],
    ['could not be compared', { sync: { status: 'Unknown', revision: commit } }, 'Unknown with Git'],
    ['is empty', { resources: [] }, 'Healthy only because it is empty'],
    ['progresses', { health: { status: 'Progressing', message: undefined } }, 'not Healthy: Progressing'],
    ['is degraded', { health: { status: 'Degraded', message: 'crash loop' } }, 'not Healthy: Degraded (crash loop)'],
  ];
  it.each(rows)('is not done when it %s', (_sentence, seen, reason) => {
    const applications = seen === undefined ? [] : [healthy('web', seen)];
    expect(observedVerdict(web, observed(...applications), platform.environment)).toEqual({ done: false, reason });
  });

  it('is not done at another revision than the environment pins, if it comes from that repository', () => {
    const elsewhere = healthy('web', { sync: { status: 'Synced', revision: other } });
    expect(observedVerdict(web, observed(elsewhere), pinned)).toEqual({
      done: false,
      reason: 'at revision 22222222, the environment wants 11111111',
    });
    const foreign = { ...elsewhere, sources: [{ repository: 'https://charts.example.com', targetRevision: '1.2' }] };
    expect(observedVerdict(web, observed(foreign), pinned).done).toBe(true);
    expect(observedVerdict(web, observed(healthy('web')), pinned).done).toBe(true);
  });

  it('is done with its evidence when nothing speaks against it', () => {
    expect(observedVerdict(web, observed(healthy('web')), platform.environment)).toEqual({
      done: true,
      evidence: {
        operationId: 'web/1',
        revision: commit,
        operationPhase: 'Succeeded',
        refreshedAt: '2026-01-05T03:01:00Z',
        sync: 'Synced',
        health: 'Healthy',
        resources: 1,
      },
    });
  });

  it('lets an app that never settles or may be empty be done, and says so in the evidence', () => {
    const seen = healthy('lax', { sync: { status: 'OutOfSync', revision: commit }, resources: [] });
    const verdict = observedVerdict(lax, observed(seen), platform.environment);
    expect(verdict).toMatchObject({ done: true, evidence: { notes: ['settles: false', 'mayBeEmpty: true'] } });
  });

  it('wants a whole sync of this very revision from an app that never settles', () => {
    const rows = [[], [{ revision: other, deployedAt: undefined }]];
    for (const history of rows) {
      expect(observedVerdict(lax, observed(healthy('lax', { history })), platform.environment)).toEqual({
        done: false,
        reason: 'revision 11111111 was not synced as a whole yet',
      });
    }
  });

  it('believes an app that Argo CD has never had to sync, and one whose freed operation left “Running” behind', () => {
    expect(
      observedVerdict(web, observed(healthy('web', { lastOperation: undefined })), platform.environment).done,
    ).toBe(true);
    const freed = { ...last, phase: 'Running', finishedAt: undefined };
    expect(observedVerdict(web, observed(healthy('web', { lastOperation: freed })), platform.environment).done).toBe(
      true,
    );
  });

  it.each(['progressing', 'degraded', 'unknown', 'missing', 'suspended'] as const)(
    'is not done while one of our own checks says %s, whatever Argo CD says (INV-7)',
    (status) => {
      const check = { about: 'Vault security/vault', verdict: { status, message: 'sealed' } };
      const seen = { ...observed(healthy('web')), checks: new Map([['web', [check]]]) };
      expect(observedVerdict(web, seen, platform.environment)).toEqual({
        done: false,
        reason: 'Vault security/vault: sealed',
      });
    },
  );

  it('keeps what our own checks saw as evidence', () => {
    const check = { about: 'Vault security/vault', verdict: { status: 'healthy', message: 'active' } } as const;
    const seen = { ...observed(healthy('web')), checks: new Map([['web', [check]]]) };
    expect(observedVerdict(web, seen, platform.environment)).toMatchObject({
      evidence: { checks: ['Vault security/vault: active'] },
    });
  });

  it('names the most important of several reasons', () => {
    const seen = healthy('web', { deleting: true, resources: [], health: { status: 'Degraded', message: undefined } });
    expect(observedVerdict(web, observed(seen), platform.environment)).toMatchObject({
      reason: 'Application is being deleted',
    });
  });
});

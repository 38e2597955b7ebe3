import { describe, expect, it } from 'vitest';
import { parseApplication } from './parse-application.ts';

const metadata = { name: 'web', resourceVersion: '7' };

describe('parseApplication', () => {
  it('reads an Application as Argo CD writes it', () => {
    const seen = parseApplication({
      metadata: {
        ...metadata,
        deletionTimestamp: '2026-01-05T03:00:00Z',
        finalizers: ['resources-finalizer.argocd.argoproj.io'],
        annotations: { 'argocd.argoproj.io/refresh': 'normal', 'argocd.argoproj.io/sync-wave': '-2' },
      },
      spec: {
        project: 'shop',
        source: { repoURL: 'https://git.example.com/p.git', targetRevision: 'main' },
        destination: { namespace: 'web' },
        syncPolicy: { automated: { prune: true } },
      },
      operation: {
        initiatedBy: { username: 'tiphys' },
        info: [
          { name: 'tiphys.dev/run', value: 'deploy-1' },
          { name: 'tiphys.dev/step', value: 'web/1' },
        ],
        sync: { resources: [{ kind: 'ConfigMap', name: 'a' }] },
      },
      status: {
        reconciledAt: '2026-01-05T03:01:00Z',
        sync: { status: 'Synced', revision: 'abc' },
        health: { status: 'Degraded', message: 'crash loop' },
        conditions: [{ type: 'ComparisonError', message: 'no' }],
        resources: [{ kind: 'Service', version: 'v1', name: 'web', namespace: 'web', status: 'Synced' }],
        operationState: {
          phase: 'Failed',
          message: 'm',
          finishedAt: 'f',
          syncResult: {
            revision: 'abc',
            resources: [
              { version: 'v1', kind: 'Service', namespace: 'web', name: 'web', message: 'service/web created' },
              { version: 'v1', kind: 'Pod', namespace: 'web', name: 'pod', message: 'the Secret created' },
              { version: 'v1', kind: 'Secret', namespace: 'web', name: 'key', message: 'secret/key unchanged' },
              {
                group: 'rbac.authorization.k8s.io',
                kind: 'ClusterRole',
                name: 'web',
                message: 'clusterrole.rbac.authorization.k8s.io/web created',
              },
            ],
          },
        },
      },
    });
    expect(seen).toMatchObject({
      name: 'web',
      project: 'shop',
      deleting: true,
      refreshRequested: true,
      automated: true,
      destinationNamespace: 'web',
      sources: [{ repository: 'https://git.example.com/p.git', targetRevision: 'main' }],
      operation: { step: 'web/1', run: 'deploy-1', initiatedBy: 'tiphys', selective: true, automated: false },
      lastOperation: {
        phase: 'Failed',
        message: 'm',
        finishedAt: 'f',
        revision: 'abc',
        step: undefined,
        created: new Set(['/Service web/web', 'rbac.authorization.k8s.io/ClusterRole /web']),
      },
      sync: { status: 'Synced', revision: 'abc' },
      health: { status: 'Degraded', message: 'crash loop' },
      conditions: [{ type: 'ComparisonError', message: 'no' }],
      syncWave: '-2',
    });
    expect(seen.resources).toEqual([
      {
        group: '',
        version: 'v1',
        kind: 'Service',
        namespace: 'web',
        name: 'web',
        sync: 'Synced',
        hook: false,
        prune: false,
      },
    ]);
  });

  it('takes what is missing for missing: a new Application has no status at all', () => {
    expect(parseApplication({ metadata })).toMatchObject({
      project: 'default',
      deleting: false,
      automated: false,
      operation: undefined,
      lastOperation: undefined,
      sync: { status: 'Unknown', revision: undefined },
      health: { status: 'Unknown' },
      reconciledAt: undefined,
      resources: [],
      history: [],
    });
  });

  it.each([
    ['null', null],
    ['a word', 'nonsense'],
    ['a list', []],
    ['wrong types inside', { sync: 7, health: [], resources: 'many', conditions: null, operationState: 'x' }],
    ['nulls inside', { sync: null, health: null, resources: null, operationState: null, history: null }],
  ])('never trusts a status to be complete: %s', (_what, status) => {
    expect(parseApplication({ metadata, status })).toMatchObject({ sync: { status: 'Unknown' }, resources: [] });
  });

  it('takes a word it does not know for Unknown', () => {
    expect(parseApplication({ metadata, status: { sync: { status: 'Sparkling' } } }).sync.status).toBe('Unknown');
  });

  it.each([
    [{ automated: {} }, true],
    [{ automated: { enabled: true } }, true],
    [{ automated: { enabled: false } }, false],
    [{ automated: null }, false],
    [{}, false],
  ])('knows whether automation is on: %j', (syncPolicy, automated) => {
    expect(parseApplication({ metadata, spec: { syncPolicy } }).automated).toBe(automated);
  });

  it('joins the revisions of several sources, so that they compare like one', () => {
    const sync = { status: 'Synced', revisions: ['a', 'b'] };
    expect(parseApplication({ metadata, spec: { sources: [{}, {}] }, status: { sync } })).toMatchObject({
      sync: { revision: 'a,b' },
      sources: [{ targetRevision: 'HEAD' }, { targetRevision: 'HEAD' }],
    });
  });

  it('names who started an operation, also when nobody signed it', () => {
    const by = (initiatedBy: object | undefined): string | undefined =>
      parseApplication({ metadata, operation: { initiatedBy } }).operation?.initiatedBy;
    expect(by({ username: 'alice' })).toBe('alice');
    expect(by({ automated: true })).toBe('Argo CD’s auto-sync');
    expect(by(undefined)).toBe('somebody');
  });
});

import { describe, expect, it } from 'vitest';
import { commit, healthy, platformWith, resource } from '../plan/observed.fixture.ts';
import type { LastOperation, ObservedApplication, ResourceRef } from '../plan/observed.ts';
import type { App } from '../platform/platform.ts';
import { type GateInput, judgeGate, stabilityMs } from './gate.ts';
import { ownVerdict } from './own-verdict.ts';

const platform = platformWith(`  s:
    apps:
      web: {}
      restless: { settles: false }
      hollow: { mayBeEmpty: true }
`);
const refreshedAt = '2026-01-05T03:01:00.000Z';
const operation = { step: 'web/9', run: 'r', initiatedBy: 'alice', automated: false, selective: false };

describe('the gate', () => {
  it('opens on a fresh, Synced, Healthy and not empty Application, with its evidence', () => {
    expect(judge({})).toEqual({
      gate: 'open',
      evidence: {
        operationId: 'web/7',
        revision: commit,
        operationPhase: 'Succeeded',
        refreshedAt,
        sync: 'Synced',
        health: 'Healthy',
        resources: 1,
      },
    });
  });

  const waits: [rule: string, seen: Partial<ObservedApplication>, sentence: string][] = [
    ['an operation runs', { operation }, 'an operation by alice to finish'],
    ['it is OutOfSync', { sync: { status: 'OutOfSync', revision: commit } }, 'Synced (is OutOfSync)'],
    ['its sync is Unknown', { sync: { status: 'Unknown', revision: undefined } }, 'Synced (is Unknown)'],
    [
      'objects of it are OutOfSync, and names three',
      {
        sync: { status: 'OutOfSync', revision: commit },
        resources: [
          ...['a', 'b', 'c', 'd'].map((name) => resource('ConfigMap', name, { sync: 'OutOfSync' })),
          resource('Job', 'hook', { sync: 'OutOfSync', hook: true }),
        ],
      },
      'Synced (is OutOfSync: ConfigMap a, ConfigMap b, ConfigMap c and 1 more)',
    ],
    [
      'it is at another revision',
      { sync: { status: 'Synced', revision: '2'.repeat(40) } },
      'revision 11111111 (is at 22222222)',
    ],
    [
      'it is Progressing',
      { health: { status: 'Progressing', message: '1 of 2 ready' } },
      'Healthy (is Progressing (1 of 2 ready))',
    ],
    ['it is Missing', { health: { status: 'Missing', message: undefined } }, 'Healthy (is Missing)'],
  ];
  it.each(waits)('waits while %s', (_rule, seen, sentence) => {
    expect(judge(seen)).toMatchObject({ gate: 'wait', for: sentence });
  });

  it('waits until a comparison that began after the operation was answered: an old verdict proves nothing', () => {
    expect(judge({}, { refreshedAt: undefined })).toEqual({ gate: 'wait', for: 'Argo CD to compare it again' });
  });

  it('does not wait for a revision nobody knows', () => {
    const seen = { sync: { status: 'Synced', revision: '2'.repeat(40) } } as const;
    expect(judge(seen, { wantedRevision: undefined }).gate).toBe('open');
  });

  const bad: [rule: string, seen: Partial<ObservedApplication>, because: string][] = [
    ['it is being deleted', { deleting: true }, 'its Application is being deleted'],
    [
      'Argo CD cannot compare it',
      { conditions: [{ type: 'ComparisonError', message: 'no such path' }] },
      'ComparisonError: no such path',
    ],
    [
      'its spec is invalid',
      { conditions: [{ type: 'InvalidSpecError', message: 'no such project' }] },
      'InvalidSpecError: no such project',
    ],
    ['it is empty', { resources: [] }, 'it is empty: Healthy without a single resource proves nothing'],
    ['it is Degraded', { health: { status: 'Degraded', message: 'crash loop' } }, 'Degraded (crash loop)'],
    ['its health is Unknown', { health: { status: 'Unknown', message: undefined } }, 'Unknown'],
    ['it is Suspended', { health: { status: 'Suspended', message: undefined } }, 'Suspended'],
    ['it says a word nobody knows', { health: { status: 'Sparkling', message: undefined } }, 'Sparkling'],
  ];
  it.each(bad)('is bad when %s, and says what to do', (_rule, seen, because) => {
    const verdict = judge(seen);
    expect(verdict).toMatchObject({ gate: 'bad', because });
    expect(verdict.gate === 'bad' && verdict.hint.length > 10).toBe(true);
  });

  it('is bad when the Application has disappeared', () => {
    expect(judgeGate({ ...input({}), seen: undefined })).toMatchObject({
      gate: 'bad',
      because: 'its Application disappeared',
    });
  });

  it('takes a warning of Argo CD for what it is', () => {
    expect(judge({ conditions: [{ type: 'OrphanedResourceWarning', message: 'two' }] }).gate).toBe('open');
  });

  it('lets an app that never settles through OutOfSync, but not through bad health; and says so', () => {
    const restless = { app: platform.apps.get('restless') as App };
    const verdict = judge({ sync: { status: 'OutOfSync', revision: commit } }, restless);
    expect(verdict).toMatchObject({ gate: 'open', evidence: { notes: ['settles: false'] } });
    expect(judge({ health: { status: 'Degraded', message: undefined } }, restless).gate).toBe('bad');
  });

  it('lets an app that may be empty be empty, and says so', () => {
    const hollow = { app: platform.apps.get('hollow') as App };
    expect(judge({ resources: [] }, hollow)).toMatchObject({
      gate: 'open',
      evidence: { resources: 0, notes: ['mayBeEmpty: true'] },
    });
  });
});

describe('our own checks at the gate (INV-7)', () => {
  const about = 'CephCluster storage/ceph';
  const ceph = (health: string) => ({
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephCluster',
    metadata: { name: 'ceph', namespace: 'storage' },
    status: { phase: 'Ready', state: 'Created', ceph: { health } },
  });
  const checks = (health: string) => {
    const verdict = ownVerdict(ceph(health));
    return verdict === undefined ? [] : [{ about, verdict }];
  };

  it('open it together with Argo CD, and are kept as evidence', () => {
    const verdict = judge({}, { checks: checks('HEALTH_OK') });
    expect(verdict).toMatchObject({ gate: 'open' });
    expect(verdict.gate === 'open' && verdict.evidence.checks?.[0]).toContain(about);
  });

  it('make HEALTH_WARN wait, also when Argo CD calls it Degraded already', () => {
    const degraded = { health: { status: 'Degraded', message: 'HEALTH_WARN' } };
    expect(judge({}, { checks: checks('HEALTH_WARN') })).toMatchObject({ gate: 'wait' });
    expect(judge(degraded, { checks: checks('HEALTH_WARN') })).toMatchObject({ gate: 'wait' });
  });

  it('make HEALTH_ERR bad, also when Argo CD calls it Healthy', () => {
    expect(judge({}, { checks: checks('HEALTH_ERR') })).toMatchObject({ gate: 'bad', hint: `Look at ${about}.` });
  });

  it.each([
    ['progressing', 'wait'],
    ['missing', 'wait'],
    ['suspended', 'wait'],
    ['degraded', 'bad'],
    ['unknown', 'bad'],
    ['healthy', 'open'],
  ] as const)('%s means %s', (status, gate) => {
    expect(judge({}, { checks: [{ about, verdict: { status, message: 'because' } }] }).gate).toBe(gate);
  });

  it('let the bad one speak before the one that only waits', () => {
    const both = [
      { about: 'one', verdict: { status: 'progressing', message: 'soon' } },
      { about: 'two', verdict: { status: 'degraded', message: 'broken' } },
    ] as const;
    expect(judge({}, { checks: both })).toMatchObject({ gate: 'bad', because: 'two: broken' });
  });

  it('do not open it while Argo CD itself still waits', () => {
    const progressing = { health: { status: 'Progressing', message: undefined } };
    expect(judge(progressing, { checks: checks('HEALTH_OK') })).toMatchObject({ gate: 'wait', on: 'health' });
  });
});

describe('how long Healthy must last', () => {
  it('is a while for an app that never settles: no Synced proves that the comparison saw our change', () => {
    expect(stabilityMs({ settles: false }, healthy('web'))).toBe(5_000);
  });

  it.each([
    ['built-in kinds, whose checks honour observedGeneration', [resource('Deployment', 'a', { group: 'apps' })], 0],
    ['definitions', [resource('CustomResourceDefinition', 'a', { group: 'apiextensions.k8s.io' })], 0],
    ['nested Applications', [resource('Application', 'a', { group: 'argoproj.io' })], 0],
    ['nothing at all', [], 0],
    ['a custom kind', [resource('Service', 'a'), resource('Kafka', 'a', { group: 'kafka.strimzi.io' })], 5_000],
  ] as const)('depends on its kinds: %s', (_kinds, resources, ms) => {
    expect(stabilityMs({ settles: true }, healthy('web', { resources }))).toBe(ms);
  });
});

describe('a custom object that our operation', () => {
  const [kafka, topic] = ['a', 'b'].map((name) =>
    resource('Kafka', name, { group: 'kafka.strimzi.io', namespace: 'data' }),
  );
  const lasts = (...created: readonly string[]): number => {
    const seen = healthy('web', { resources: [kafka, topic] as ResourceRef[] });
    const lastOperation = { ...(seen.lastOperation as LastOperation), created: new Set(created) };
    return stabilityMs({ settles: true }, { ...seen, lastOperation });
  };

  it('has created has no older spec that a verdict could be about: Healthy counts at once', () => {
    expect(lasts('kafka.strimzi.io/Kafka data/a', 'kafka.strimzi.io/Kafka data/b')).toBe(0);
  });

  it('has created, but whose kind we do not judge ourselves, must: some checks call what no operator has seen Healthy', () => {
    const user = resource('PgUser', 'a', { group: 'postgres.example.com', namespace: 'data' });
    const seen = healthy('web', { resources: [user] });
    const created = new Set(['postgres.example.com/PgUser data/a']);
    const lastOperation = { ...(seen.lastOperation as LastOperation), created };
    expect(stabilityMs({ settles: true }, { ...seen, lastOperation })).toBe(5_000);
  });

  it('does not matter where nobody judges the kind: what a ServiceMonitor says of itself was never asked', () => {
    const resources = ['ServiceMonitor', 'Prometheus'].map((kind) =>
      resource(kind, 'a', { group: 'monitoring.coreos.com', namespace: 'data' }),
    );
    const lasts = (of: ResourceRef[]): number => stabilityMs({ settles: true }, healthy('web', { resources: of }));
    expect([lasts(resources.slice(0, 1)), lasts(resources)]).toEqual([0, 5_000]);
  });

  it('has changed, or found as it was, must stay Healthy for a while', () => {
    expect([lasts(), lasts('kafka.strimzi.io/Kafka data/a')]).toEqual([5_000, 5_000]);
  });
});

function input(seen: Partial<ObservedApplication>): GateInput {
  return {
    app: platform.apps.get('web') as App,
    seen: healthy('web', seen),
    operationId: 'web/7',
    wantedRevision: commit,
    syncedRevision: commit,
    refreshedAt,
    checks: [],
  };
}

function judge(seen: Partial<ObservedApplication>, but: Partial<GateInput> = {}) {
  return judgeGate({ ...input(seen), ...but });
}

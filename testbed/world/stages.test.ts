import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { operatedKind } from './operated-kinds.ts';
import { operatorStages } from './operator-stages.ts';
import type { Stage } from './stage.ts';
import { stagesFor } from './stages.ts';

describe('the stages of pods', () => {
  test('a pod gets ready, and goes, after the times in its annotations; other stages stay as they are', () => {
    const stages = read(stagesFor(text(base)));
    const delays = Object.fromEntries(
      [...stages].map(([name, { spec }]) => [name, spec.delay?.durationFrom.expressionFrom]),
    );
    expect(delays).toEqual({
      'node-initialize': undefined,
      'pod-ready': '.metadata.annotations["testbed.tiphys.dev/ready-after"]',
      'pod-delete': '.metadata.annotations["testbed.tiphys.dev/delete-after"]',
      'pod-unready': '.metadata.annotations["testbed.tiphys.dev/unready-after"]',
    });
    expect(stages.get('node-initialize')).toEqual(base[0]);
  });

  test('a pod that is never to be ready is left alone, and nothing else is asked less than before', () => {
    const asked = read(stagesFor(text(base))).get('pod-ready')?.spec.selector.matchExpressions;
    expect(asked).toEqual([
      ...(base[1]?.spec.selector.matchExpressions ?? []),
      { key: '.metadata.annotations["testbed.tiphys.dev/ready-after"]', operator: 'NotIn', values: ['never'] },
    ]);
  });

  test('pods that somebody else plays are left alone by all of them, and nodes are nobody else’s', () => {
    const label = {
      key: '[.metadata.labels["app.kubernetes.io/part-of"], .metadata.labels["app.kubernetes.io/component"]] | join("/")',
      operator: 'NotIn',
      values: ['argocd/server'],
    };
    const stages = read(stagesFor(text(base), ['argocd/server']));
    const asked = [...stages].map(([name, { spec }]) => [name, spec.selector.matchExpressions.at(-1)]);
    expect(Object.fromEntries(asked)).toEqual({
      'node-initialize': base[0]?.spec.selector.matchExpressions.at(-1),
      'pod-ready': label,
      'pod-delete': label,
      'pod-unready': label,
    });
  });

  test('a kwok with other stages is noticed, and not played without delays', () => {
    expect(() => stagesFor(text(base.slice(0, 2)))).toThrow('pod-delete is missing');
  });
});

describe('the stages of an operator', () => {
  test('have names of their own for every kind', () => {
    const stages = operatorStages({ group: 'ceph.rook.io', version: 'v1', kind: 'CephCluster' });
    expect(stages.map(({ metadata }) => metadata.name)).toEqual([
      'cephcluster.ceph.rook.io-adopt',
      'cephcluster.ceph.rook.io-report',
      'cephcluster.ceph.rook.io-release',
    ]);
    expect(stages.map(({ spec }) => spec.resourceRef.apiGroup)).toEqual(Array(3).fill('ceph.rook.io/v1'));
  });

  test('deploy an EventBus at once, because its operator is one of kwok’s pods', () => {
    const stages = operatorStages({ group: 'argoproj.io', version: 'v1alpha1', kind: 'EventBus' });
    expect(stages.map(({ metadata }) => metadata.name)).toEqual(['eventbus.argoproj.io-deploy']);
    expect(operatedKind(definition('argoproj.io', 'EventBus'))?.kind).toBe('EventBus');
    expect(operatedKind(definition('argoproj.io', 'Sensor'))).toBeUndefined();
  });

  test('are for kinds whose health somebody judges, and for those that ask for it', () => {
    expect(operatedKind(definition('ceph.rook.io', 'CephCluster'))?.version).toBe('v1');
    expect(operatedKind(definition('example.com', 'Instance'))).toBeUndefined();
    const asking = definition('example.com', 'Instance', { 'testbed.tiphys.dev/operated': 'true' });
    expect(operatedKind(asking)).toEqual({ group: 'example.com', version: 'v1', kind: 'Instance' });
  });
});

function stage(name: string, kind: string): Stage {
  const matchExpressions = [{ key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' }] as const;
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, next: {} },
  };
}

const base = [stage('node-initialize', 'Node'), stage('pod-ready', 'Pod'), stage('pod-delete', 'Pod')];

function text(stages: readonly Stage[]): string {
  return stages.map((each) => stringify(each)).join('---\n');
}

function read(yaml: string): ReadonlyMap<string, Stage> {
  const stages = parseAllDocuments(yaml).map((document) => document.toJS() as Stage);
  return new Map(stages.map((each) => [each.metadata.name, each]));
}

function definition(group: string, kind: string, annotations: Readonly<Record<string, string>> = {}) {
  const plural = `${kind.toLowerCase()}s`;
  return {
    metadata: { name: `${plural}.${group}`, resourceVersion: '1', annotations },
    spec: {
      group,
      names: { kind, plural },
      versions: [
        { name: 'v1alpha1', storage: false },
        { name: 'v1', storage: true },
      ],
    },
  };
}

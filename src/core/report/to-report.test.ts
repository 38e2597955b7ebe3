import { describe, expect, it } from 'vitest';
import { emptyRun, foldRun } from '../run/fold-run.ts';
import type { Run } from '../run/run.ts';
import { jsonReport } from './json-report.ts';
import { type ReportNode, reportSchema } from './report.ts';
import { sampleEvents, sampleRun, timeAt } from './sample-run.fixture.ts';
import { toReport } from './to-report.ts';

const sealed = { vault: 'Vault vault/vault-0: sealed' };

describe('toReport', () => {
  it('fits its own schema, also as JSON, finished or not', () => {
    for (const run of [emptyRun, sampleRun(), sampleRun({ failing: sealed }), sampleRun({ seconds: 300 })]) {
      const report = toReport(run);
      expect(reportSchema.parse(JSON.parse(jsonReport(report)))).toEqual(report);
    }
  });

  it('names causes only, each with all that it blocks and a recovery (R4.7, R7.13)', () => {
    const { failures } = toReport(sampleRun({ failing: sealed }));
    expect(failures).toEqual([
      {
        node: 'vault',
        name: 'Vault sealed',
        because: 'Vault vault/vault-0: sealed',
        hint: 'Unseal Vault, then run the same command again.',
        blocks: [
          'backstage',
          'crossplane',
          'external-secrets',
          'harbor',
          'kafka-connect',
          'kargo',
          'keycloak',
          'kv-clusters',
          'pg-clusters',
          'temporal',
        ],
      },
    ]);
  });

  it('counts a node under every cause that blocks it', () => {
    const { failures } = toReport(sampleRun({ failing: { ...sealed, 'kafka-cluster': 'Kafka: Degraded' } }));
    const blocking = failures.filter(({ blocks }) => blocks.includes('kafka-connect'));
    expect(blocking.map(({ node }) => node)).toEqual(['kafka-cluster', 'vault']);
  });

  it('walks the critical path back from the node that finished last', () => {
    const { criticalPath, durationSeconds } = toReport(sampleRun());
    expect(criticalPath.map(({ node }) => node)).toMatchInlineSnapshot(`
      [
        "metallb",
        "ceph-operator",
        "ceph-cluster",
        "vault",
        "external-secrets",
        "pg-clusters",
        "argocd",
        "crossplane",
        "keycloak",
        "backstage",
      ]
    `);
    const seconds = criticalPath.reduce((sum, step) => sum + step.seconds, 0);
    expect(seconds).toBeGreaterThan(durationSeconds - 5);
    expect(seconds).toBeLessThanOrEqual(durationSeconds);
  });

  it('with wave barriers walks through the slowest of the wave before', () => {
    const events = sampleEvents().map((event) => (event.type === 'run-started' ? { ...event, order: 'waves' } : event));
    const run = events.reduce(foldRun, emptyRun);
    const path = toReport(run).criticalPath.map(({ node }) => node);
    expect(path).toHaveLength(run.plan?.waves.length ?? 0);
  });

  it('leaves nodes that were skipped out of the critical path', () => {
    const skipped = ['metallb', 'ceph-operator', 'ceph-cluster'];
    const { criticalPath } = toReport(sampleRun({ skipped }));
    expect(criticalPath.some(({ node }) => skipped.includes(node))).toBe(false);
  });

  it('says how long each node took and waited', () => {
    expect(node(toReport(sampleRun()).nodes, 'ceph-cluster')).toMatchObject({
      durationSeconds: 842,
      waitedSeconds: 111.3,
      waitedFor: ['ceph-operator', 'cert-manager', 'ingress-nginx', 'prometheus#crds'],
    });
  });

  it('calls a node that is still at work pending, with the time it has taken so far', () => {
    const events = [...sampleEvents({ seconds: 300 }), { at: timeAt(310), type: 'lease-taken', holder: 'x' } as const];
    const ceph = node(toReport(events.reduce(foldRun, emptyRun)).nodes, 'ceph-cluster');
    expect(ceph).toMatchObject({ state: 'pending', durationSeconds: 198.7 });
    expect(ceph?.finishedAt).toBeUndefined();
  });

  it('aggregates health by stack and for the platform (R5.8)', () => {
    const good = toReport(sampleRun());
    expect(good.platformHealth).toBe('Healthy');
    const { stacks, platformHealth } = toReport(sampleRun({ failing: sealed }));
    const health = Object.fromEntries(stacks.map((stack) => [stack.name, stack.health]));
    expect(health).toMatchObject({ security: 'Failed', 'platform-data': 'Degraded', storage: 'Healthy' });
    expect(platformHealth).toBe('Failed');
    expect(toReport(sampleRun({ seconds: 100 })).platformHealth).toBe('Progressing');
  });

  it('recommends the next command after a failure, and what was passed in', () => {
    const { recommendations } = toReport(sampleRun({ failing: sealed }), { nextSteps: ['Try a fault.'] });
    expect(recommendations).toMatchInlineSnapshot(`
      [
        "Mend vault, then run the same command again: what is Healthy is kept, and it continues from there.",
        "\`tiphys explain vault\` shows what it needs, what waits for it and what its gate sees now.",
        "11 Applications stay held, so that Argo CD starts nothing before its turn; the next run releases them.",
        "Try a fault.",
      ]
    `);
  });

  it('lists an app that a teardown kept among what was kept on purpose (R7.8)', () => {
    const kept = { at: timeAt(5), type: 'node-retained', node: 'pg-clusters', because: 'it is stateful' } as const;
    const { retained } = toReport(foldRun(sampleRun({ seconds: 1 }), kept));
    expect(retained).toEqual([{ object: 'Application pg-clusters', because: 'it is stateful', node: 'pg-clusters' }]);
  });

  it('calls stacks of a validate that found nothing worse degraded, not failed (R5.8)', () => {
    const events = [
      {
        at: timeAt(5),
        type: 'node-failed',
        node: 'vault',
        because: 'Progressing',
        attempts: 0,
        timedOut: false,
      } as const,
      { at: timeAt(5), type: 'run-finished', outcome: 'degraded', exitCode: 2 } as const,
    ];
    const report = toReport(events.reduce<Run>(foldRun, sampleRun({ seconds: 1 })));
    expect(report.platformHealth).toBe('Degraded');
  });

  it('knows that a run which ended healthy, degraded or unhealthy was a validate (R7.7)', () => {
    const run = foldRun(sampleRun({ seconds: 100 }), {
      at: timeAt(101),
      type: 'run-finished',
      outcome: 'degraded',
      exitCode: 2,
    });
    expect(toReport(run).action).toBe('validate');
  });
});

function node(nodes: readonly ReportNode[], name: string): ReportNode | undefined {
  return nodes.find((each) => each.name === name);
}

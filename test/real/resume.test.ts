import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dependentsOf } from '../../src/core/graph/dependents-of.ts';
import { edgesOf, nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { creations } from '../../testbed/audit/creations.ts';
import { nodesOfObjects } from '../../testbed/audit/nodes-of-objects.ts';
import { operations } from '../../testbed/audit/operations.ts';
import { installHealthChecks } from '../contracts/health-checks.ts';
import { type Ended, freshTestbed, type RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

const folder = 'platforms/reference';
const ceph = 'ceph-cluster-pn-hyd-a';
let bed: RealBed;
let platform: Platform;

beforeAll(async () => {
  bed = await freshTestbed('real-resume');
  // With them Argo CD passes the health of children on to their parents, and sees in a warning no failure.
  await installHealthChecks(bed.client);
  const scenario = join(bed.state.folder, 'ceph-warns.yaml');
  writeFileSync(scenario, warningForEver(readFileSync(join(folder, 'scenario.yaml'), 'utf8')));
  ({ platform } = await bed.publish(folder, { scenario }));
}, 400_000);

afterAll(() => bed?.close());

describe('a Ceph that stays HEALTH_WARN on a real Argo CD', () => {
  let failed: Ended;
  let dependents: readonly string[];

  it('fails the run with exit 2, blocks exactly what needs it, and is named as the cause', async () => {
    failed = await bed.run('deploy', impatientCopy());
    const hard = edgesOf(nodeGraph(platform), (kind) => kind !== 'soft');
    dependents = [...dependentsOf(hard, [ceph])].filter((node) => node !== ceph).sort();
    expect(failed.exitCode, failed.err).toBe(2);
    const states = (state: string): string[] =>
      failed.report.nodes.filter((node) => node.state === state).map(({ name }) => name);
    expect([states('failed'), states('blocked').sort()]).toEqual([[ceph], dependents]);
    expect(states('healthy').length).toBe(failed.report.nodes.length - 1 - dependents.length);
    expect(failed.report.failures[0]?.because).toContain('HEALTH_WARN');
  }, 900_000);

  it('leaves what needs it untouched and held while Argo CD looks at everything again, and again', async () => {
    const looks = new Map<string, Set<string>>();
    await eventually('Argo CD has looked at every Application three times more by itself', async () => {
      for (const { metadata, status } of await applications())
        looks.set(metadata.name, (looks.get(metadata.name) ?? new Set()).add(status?.reconciledAt ?? ''));
      return [...looks.values()].every(({ size }) => size > 3);
    });
    const nodeOf = nodesOfObjects(platform);
    const entries = await bed.audit();
    const touched = creations(entries).filter((object) => dependents.includes(nodeOf(object) ?? ''));
    expect(touched.map(({ key }) => key)).toEqual([]);
    expect(operations(entries).filter(({ automated }) => automated)).toEqual([]);
    const held = await heldNow();
    expect(held).toEqual(expect.arrayContaining([...dependents.map(applicationOf), 'platform-root']));
    expect(held).toEqual(failed.report.held);
  });

  it('is continued by the next run once Git is mended: exit 0, and nothing that was Healthy is synced again', async () => {
    await bed.publish(folder);
    const since = Date.now();
    const { exitCode, report, err } = await bed.run('deploy', folder);
    expect(exitCode, err).toBe(0);
    expect([report.failures, report.held, report.warnings]).toEqual([[], [], []]);
    const entries = await bed.audit();
    const healthyBefore = failed.report.nodes.filter(({ state }) => state === 'healthy').map(({ name }) => name);
    const again = operations(entries)
      .filter(({ startedAt }) => Date.parse(startedAt) >= since - (since % 1000))
      .map(({ application }) => application);
    expect(healthyBefore.map(applicationOf).filter((name) => again.includes(name))).toEqual([]);
    expect(again).toEqual(expect.arrayContaining(dependents.map(applicationOf)));
    expect(brokenEdges(platform, entries)).toEqual([]);
  }, 900_000);
});

/** The same scenario, but Ceph never gets beyond its warning. */
function warningForEver(scenario: string): string {
  const changed = scenario
    .replace('{ state: HEALTH_WARN, for: 3m }', '{ state: HEALTH_WARN }')
    .replace(/.*HEALTH_OK.*\n/, '');
  expect(changed.length).toBeLessThan(scenario.length);
  return changed;
}

/** The same platform, but Ceph is given up after half a minute. */
function impatientCopy(): string {
  const copy = join(bed.state.folder, 'impatient');
  cpSync(folder, copy, { recursive: true });
  const dag = readFileSync(join(copy, 'dag.yaml'), 'utf8');
  writeFileSync(join(copy, 'dag.yaml'), dag.replace('timeouts: { health: 45m }', 'timeouts: { health: 30s }'));
  expect(readFileSync(join(copy, 'dag.yaml'), 'utf8')).not.toBe(dag);
  return copy;
}

interface Application {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly reconciledAt?: string };
}

async function applications(): Promise<readonly Application[]> {
  return (await bed.client.list<Application>('/apis/argoproj.io/v1alpha1/namespaces/argocd/applications')).items;
}

function applicationOf(node: string): string {
  return platform.apps.get(node)?.application ?? node;
}

async function heldNow(): Promise<string[]> {
  const { items } = await bed.client.list<{ spec: { syncWindows?: readonly { applications?: string[] }[] } }>(
    '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects',
  );
  const names = items.flatMap(({ spec }) => spec.syncWindows ?? []).flatMap(({ applications }) => applications ?? []);
  return [...new Set(names)].sort();
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient, type KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { compareAfter } from '../../src/cli/compare-after.ts';
import { tell } from '../../src/cli/fake-io.fixture.ts';
import type { ClusterSnapshot } from '../../src/core/preflight/cluster-snapshot.ts';
import type { Report } from '../../src/core/report/report.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type TeardownOrder, teardown } from '../../src/engine/teardown.ts';
import { takeSnapshot } from '../../src/preflight/take-snapshot.ts';
import { type Bench, bench, deployOn, type Played, platformFrom, play, processOn, teardownOrder } from '../harness.ts';
import { admin } from './look.ts';

const hello = platformFrom('platforms/hello');
const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const never = new AbortController().signal;

describe('a teardown that is given the snapshot from before (R3.5, R6.8)', () => {
  it('is clean when nothing of the platform is left, and says so', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await deployOn(on);
    const { run, events } = await comparedTeardown(on, before);
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0, orphans: [] });
    expect(run.comparison).toEqual({ since: before.takenAt, bootstrap: [], others: [], unread: [] });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['compared', 'run-finished']);
    on.close();
  });

  it('names what it did not know of and is the platform’s: exit code 2', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await deployOn(on);
    // A controller that is still at work writes once more when its app is gone already: no cascade takes that along.
    const late: Promise<void>[] = [];
    const annotations = { 'argocd.argoproj.io/tracking-id': 'web:rbac.authorization.k8s.io/ClusterRole:/late' };
    const { run } = await comparedTeardown(on, before, {}, (event) => {
      if (event.type === 'node-removed' && event.node === 'web') late.push(role(on, 'late', annotations));
    });
    await Promise.all(late);
    expect(run).toMatchObject({ outcome: 'orphans', exitCode: 2 });
    expect(run.orphans).toEqual([
      {
        object: 'ClusterRole late',
        because: `it was not there at ${before.takenAt}, before the platform came`,
        hint: expect.stringContaining('kubectl delete clusterrole.rbac.authorization.k8s.io late') as string,
      },
    ]);
    on.close();
  });

  it('lists apart what a bootstrap has installed and what is of others; neither changes its end', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await role(on, 'argocd-server', { 'meta.helm.sh/release-namespace': 'argocd' });
    await namespace(on, 'strangers');
    await deployOn(on);
    const { run } = await comparedTeardown(on, before);
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0, orphans: [] });
    expect(run.comparison).toMatchObject({
      bootstrap: ['ClusterRole.rbac.authorization.k8s.io argocd-server'],
      others: ['Namespace strangers'],
    });
    on.close();
  });

  it('does not call left what it keeps on purpose: apps with data, volumes, definitions', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await deployOn(on);
    const { run } = await comparedTeardown(on, before, { stateful: new Set() });
    expect(run.nodes.get('database')?.state).toBe('retained');
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0, orphans: [] });
    expect(run.comparison).toMatchObject({ bootstrap: [], others: [] });
    on.close();
  });

  it('compares also when there is nothing to remove any more', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await deployOn(on);
    await comparedTeardown(on, before);
    await namespace(on, 'strangers');
    const { run } = await comparedTeardown(on, before);
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0, comparison: { others: ['Namespace strangers'] } });
    const kept = run.retained.map(({ object }) => object.split(' ')[0]);
    expect(new Set(kept)).toEqual(new Set(['CustomResourceDefinition', 'PersistentVolume']));
    on.close();
  });

  it('says that nothing was compared when it did not come to its end, or could not look', async () => {
    const on = bench(hello);
    const before = await snapshotOf(on);
    await deployOn(on);
    const stopping = new AbortController();
    const stop = ({ type }: RunEvent) => type === 'node-removed' && stopping.abort();
    const cut = await comparedTeardown({ ...on, stop: stopping.signal }, before, {}, stop);
    expect(cut.run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(cut.run.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`nothing was compared with the snapshot of ${before.takenAt}`),
    );
    const names = { ...namesOf(on), get: () => Promise.reject(new Error('the network is away')) };
    const { run } = await comparedTeardown({ ...on, names }, before);
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    expect(run.comparison).toBeUndefined();
    expect(run.warnings.at(-1)?.message).toContain('the network is away');
    on.close();
  });
});

describe('teardown --compare', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-compare-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const down = ['teardown', 'platforms/hello', '--sandbox', '--confirm', 'hello', '--include-stateful'] as const;
  const file = join(folder, 'before.json');
  // Of a cluster that had nothing at all: everything is new.
  const snapshot: ClusterSnapshot = { takenAt: '2026-01-05T03:00:00.000Z', objects: [], unread: [] };
  writeFileSync(file, JSON.stringify({ kind: 'Preflight', snapshot }));

  it('has what is left in text, JSON and HTML, and in what is replayed from --events', async () => {
    const events = join(folder, 'down.jsonl');
    const json = await tell([...down, '--compare', file, '-o', 'json', '--events', events]);
    const report = JSON.parse(json.out) as Report;
    expect([json.exitCode, report.exitCode]).toEqual([0, 0]);
    expect(report.comparison?.bootstrap).toContain('Namespace argocd');
    expect(report.comparison?.others).toContain('Namespace default');
    expect((await tell([...down, '--compare', file])).out).toContain('Compared with before');
    expect((await tell([...down, '--compare', file, '-o', 'html'])).out).toContain('<li>Namespace argocd</li>');
    const replayed = JSON.parse((await tell(['report', events, '-o', 'json'])).out) as Report;
    expect(replayed.comparison).toEqual(report.comparison);
    expect(readFileSync(events, 'utf8')).toContain('"type":"compared"');
  });

  it('refuses a file without a snapshot, and a part of the platform, before anything is removed', async () => {
    writeFileSync(join(folder, 'other.json'), '{"kind":"Report"}');
    expect(await tell([...down, '--compare', join(folder, 'other.json')])).toMatchObject({
      exitCode: 3,
      out: '',
      err: expect.stringContaining('holds no snapshot of a cluster') as string,
    });
    expect(await tell([...down, '--compare', join(folder, 'nowhere.json')])).toMatchObject({ exitCode: 3, out: '' });
    expect(await tell([...down, '--compare', file, '--scope', 'app:web'])).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('--compare is about the whole platform') as string,
    });
  });
});

function namesOf(on: Bench): KubeClient {
  return createClient(processOn(on, 'admin').transport, { clock: on.time });
}

function snapshotOf(on: Bench): Promise<ClusterSnapshot> {
  return on.time.run(takeSnapshot(namesOf(on), { now: on.time.now() }, never));
}

function comparedTeardown(
  on: Bench & { readonly names?: KubeClient; readonly stop?: AbortSignal },
  before: ClusterSnapshot,
  order: Partial<TeardownOrder> = {},
  onEvent: (event: RunEvent) => unknown = () => undefined,
): Promise<Played> {
  const { platform, world, names = namesOf(on), stop = never } = on;
  const events = compareAfter(
    teardown(world, teardownOrder(on, order), stop),
    { before, platform, world, names },
    stop,
  );
  return on.time.run(play(events, onEvent));
}

async function role(on: Bench, name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name, annotations };
  const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: [] };
  expect((await admin(on, 'POST', rbac, body)).status).toBe(201);
}

async function namespace(on: Bench, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  expect((await admin(on, 'POST', '/api/v1/namespaces', body)).status).toBe(201);
}

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { definitionOf } from '../../src/sandbox/world/definitions.ts';
import { writesOf } from '../../testbed/audit/writes-of.ts';
import { clusterSnapshot } from './cluster-snapshot.ts';
import { userOf } from './roles.ts';
import { type Ended, freshTestbed, type RealBed } from './testbed.ts';

const folder = 'platforms/hello';
const defaultProject = '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/default';
const execute = promisify(execFile);
let bed: RealBed;
let before: ReadonlySet<string>;

beforeAll(async () => {
  bed = await freshTestbed('real-teardown');
  const empty = await clusterSnapshot(bed.client);
  const { preinstalled } = await bed.publish(folder, { faults: ['database=stuck-finalizer'] });
  await commitClusterWide();
  // Definitions that were there before any app came are nobody's to remove.
  before = new Set([...empty, ...preinstalled.map(({ kind, metadata }) => `${kind} /${metadata.name}`)]);
  const { exitCode } = await bed.run('deploy', folder);
  expect(exitCode).toBe(0);
  expect([...(await clusterSnapshot(bed.client))]).toEqual(expect.arrayContaining([...clusterWide, definition]));
}, 900_000);

afterAll(() => bed?.close());

describe('a teardown that meets a finalizer nobody removes', () => {
  it('is refused without the platform’s name, and before anything is written', async () => {
    const since = Date.now();
    const { ended, said } = bed.start('teardown', folder, '--include-stateful');
    expect(await ended).toBe(3);
    expect(said.err).toContain('--confirm hello');
    expect(writesOf(await bed.audit(since), userOf('teardown'))).toEqual([]);
  });

  it('ends with exit 2 and names the object, the finalizer and a remedy', async () => {
    await bed.client.create(theirs.slice(0, theirs.lastIndexOf('/')), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs' },
    });
    const { exitCode, report } = await teardown('--node-timeout', '15s');
    expect([exitCode, report.outcome]).toEqual([2, 'orphans']);
    const states = Object.fromEntries(report.nodes.map(({ name, state }) => [name, state]));
    expect(states).toEqual({ 'cert-manager': 'removed', ingress: 'removed', web: 'removed', database: 'orphaned' });
    expect(report.orphans.map(({ object, because }) => `${object}: ${because}`).join('\n')).toMatch(
      /database.*finalizer/,
    );
    expect(report.hints.join('\n')).toContain('kubectl patch');
  }, 400_000);

  it('leaves a namespace that stands in Git, which Argo CD would delete with all in it, to whoever has something there', async () => {
    expect(await bed.client.get(theirs)).toBeDefined();
    await bed.client.delete(theirs);
  });

  it('is continued by the next run when the finalizer has been taken away, and keeps volumes and definitions as told', async () => {
    const stuck = await stuckObjects();
    expect(stuck.length).toBeGreaterThan(0);
    for (const path of stuck) await bed.client.mergePatch(path, { metadata: { finalizers: null } });
    const { exitCode, report } = await teardown();
    expect([exitCode, report.outcome, report.orphans]).toEqual([0, 'clean', []]);
    const left = [...(await clusterSnapshot(bed.client))].filter((object) => !before.has(object)).sort();
    const kept = report.retained.map(({ object }) => object).sort();
    expect(left.map((object) => object.replace(' /', ' '))).toEqual(kept);
    expect(kept.some((object) => object.startsWith('PersistentVolume '))).toBe(true);
    expect(kept).toContain(definition.replace(' /', ' '));
    const { spec } = (await bed.client.get<{ spec: { syncWindows?: unknown[] } }>(defaultProject))!;
    expect(spec.syncWindows ?? []).toEqual([]);
  }, 400_000);

  it('has nothing to do the third time, and says so: exit 0 and not one write', async () => {
    const since = Date.now();
    const { exitCode, err } = await teardown();
    expect([exitCode, err]).toEqual([0, expect.stringContaining('nothing to do')]);
    expect(writesOf(await bed.audit(since), userOf('teardown'))).toEqual([]);
  });
});

/** Somebody else's, in the namespace of `web`. */
const theirs = '/api/v1/namespaces/web/configmaps/theirs';

/** What operators bring beside their namespace. `hello` has none of it: it comes into Git by hand. */
const clusterWide = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
].map((kind) => `${kind} /web`);

/** A teardown keeps it unless told otherwise. */
const gadgets = { group: 'web.example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
const definition = 'CustomResourceDefinition /gadgets.web.example.com';

async function commitClusterWide(): Promise<void> {
  const repository = join(bed.state.folder, 'repo');
  const manifests = [
    { apiVersion: 'v1', kind: 'Namespace' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'web' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'web' }],
    },
    { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', webhooks: [] },
    { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', webhooks: [] },
  ].map((object) => ({ ...object, metadata: { name: 'web' } }));
  const text = [...manifests, definitionOf(gadgets)].map((object) => stringify(object)).join('---\n');
  writeFileSync(join(repository, 'apps/web/cluster-wide.yaml'), text);
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgSign=false'];
  const git = (...words: readonly string[]): Promise<unknown> =>
    execute('git', [...identity, ...words], { cwd: repository });
  await git('add', 'apps/web');
  await git('commit', '-q', '-m', 'Bring cluster-wide objects, too');
}

function teardown(...more: readonly string[]): Promise<Ended> {
  return bed.run('teardown', folder, '--confirm', 'hello', '--include-stateful', '--pv-policy', 'retain', ...more);
}

/** Paths of what is being deleted and is kept by a finalizer. */
async function stuckObjects(): Promise<string[]> {
  const { items } = await bed.client.list<KubeObject>('/apis/acid.zalan.do/v1/postgresqls');
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length > 0)
    .map(({ metadata }) => `/apis/acid.zalan.do/v1/namespaces/${metadata.namespace}/postgresqls/${metadata.name}`);
}

import { expect } from 'vitest';
import { operate } from '../../src/engine/operation.ts';
import { createApplication, sync, untilRefreshed, untilVerdict } from './argo.ts';
import type { ContractCluster, Rendered } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, hasConfigMap } from './objects.ts';

describeContract('a source', (behaves) => {
  behaves('may be a Helm chart in Git: what it renders is applied, and the commit is the revision', async (cluster) => {
    const commit = await cluster.git.commit({ chart: chart('1.0.0') });
    const app = await createApplication(cluster, 'app', { path: 'chart' });
    expect(await sync(cluster, app)).toMatchObject({ phase: 'Succeeded', syncResult: { revision: commit } });
    expect(await cluster.client.get(configMapPath(cluster, 'charted'))).toMatchObject({ data: { value: '1.0.0' } });
    expect((await untilVerdict(cluster, app, 'Synced Healthy')).status?.sync?.revision).toBe(commit);
  });

  behaves(
    'may be a chart of a Helm repository: its version is the revision, and a commit is not there',
    async (cluster) => {
      const repoURL = await cluster.charts.publish({ name: 'charted', version: '1.2.3', ...chart('1.2.3') });
      const source = { repoURL, chart: 'charted', targetRevision: '1.2.3' };
      const app = await createApplication(cluster, 'app', { source });
      expect(await sync(cluster, app)).toMatchObject({ phase: 'Succeeded', syncResult: { revision: '1.2.3' } });
      expect((await untilVerdict(cluster, app, 'Synced Healthy')).status?.sync?.revision).toBe('1.2.3');
      expect(await cluster.client.get(configMapPath(cluster, 'charted'))).toMatchObject({ data: { value: '1.2.3' } });
    },
  );

  behaves('may be a Kustomize folder', async (cluster) => {
    const kustomization = 'resources: [one.yaml]\nnamePrefix: my-\n';
    const one = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n';
    const commit = await cluster.git.commit({
      app: { files: { 'kustomization.yaml': kustomization, 'one.yaml': one }, renders: [bare('my-one')] },
    });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    expect(await sync(cluster, app)).toMatchObject({ phase: 'Succeeded', syncResult: { revision: commit } });
    await untilVerdict(cluster, app, 'Synced Healthy');
    expect(await hasConfigMap(cluster, 'my-one')).toBe(true);
  });

  behaves('may be one of several: then there are `revisions`, one for each, and no `revision`', async (cluster) => {
    const commit = await cluster.git.commit({ one: [configMap('one')], two: [configMap('two')] });
    const sources = ['one', 'two'].map((path) => ({ repoURL: cluster.git.url, path, targetRevision: 'HEAD' }));
    const app = await createApplication(cluster, 'app', { sources });
    const state = await sync(cluster, app);
    expect(state).toMatchObject({ phase: 'Succeeded', syncResult: { revision: '', revisions: [commit, commit] } });
    const seen = await untilVerdict(cluster, app, 'Synced Healthy');
    expect(seen.status?.sync?.revisions).toEqual([commit, commit]);
    expect(seen.status?.sync?.revision ?? '').toBe('');
    expect([await hasConfigMap(cluster, 'one'), await hasConfigMap(cluster, 'two')]).toEqual([true, true]);
    await isFollowedByTheEngine(cluster, app, [commit, commit]);
  });

  behaves(
    'of several may be a chart and the folder with its values; each has its own kind of revision',
    async (cluster) => {
      const version = '2.0.0';
      const repoURL = await cluster.charts.publish({ name: 'charted', version, ...chart(version) });
      const commit = await cluster.git.commit({ values: { files: { 'values.yaml': 'any: thing\n' }, renders: [] } });
      const sources = [
        { repoURL, chart: 'charted', targetRevision: version, helm: { valueFiles: ['$values/values/values.yaml'] } },
        { repoURL: cluster.git.url, targetRevision: 'HEAD', ref: 'values' },
      ];
      const app = await createApplication(cluster, 'app', { sources });
      expect(await sync(cluster, app)).toMatchObject({
        phase: 'Succeeded',
        syncResult: { revisions: [version, commit] },
      });
      expect((await untilVerdict(cluster, app, 'Synced Healthy')).status?.sync?.revisions).toEqual([version, commit]);
      await isFollowedByTheEngine(cluster, app, [version, commit]);
    },
  );

  behaves(
    'may be a branch or a commit; one that is not there is a ComparisonError with a Healthy verdict',
    async (cluster) => {
      const commit = await cluster.git.commit({ app: [configMap('one')] });
      await cluster.git.commit({ app: [configMap('two')] });
      const source = { repoURL: cluster.git.url, path: 'app' };
      const pinned = await createApplication(cluster, 'pinned', { source: { ...source, targetRevision: commit } });
      await sync(cluster, pinned);
      expect((await untilVerdict(cluster, pinned, 'Synced Healthy')).status?.sync?.revision).toBe(commit);
      expect([await hasConfigMap(cluster, 'one'), await hasConfigMap(cluster, 'two')]).toEqual([true, false]);
      const lost = await createApplication(cluster, 'lost', {
        source: { ...source, targetRevision: 'no-such-branch' },
      });
      const { status } = await untilVerdict(cluster, lost, 'Unknown Healthy');
      expect(status?.conditions?.map(({ type }) => type)).toEqual(['ComparisonError']);
    },
  );
});

/** The gate compares the revision that an operation has synced with that of the comparison after it. */
async function isFollowedByTheEngine(cluster: ContractCluster, app: string, revisions: string[]): Promise<void> {
  const { argocd } = cluster.world;
  const order = { node: 'app', application: app, runId: 'run', deadline: cluster.deadline() };
  const result = await operate(cluster.world, () => undefined, order, cluster.signal);
  expect(result).toMatchObject({ ended: 'succeeded', revision: revisions.join(',') });
  await untilRefreshed(cluster, app, 'Synced Healthy');
  await cluster.eventually('the engine sees the same revision compared', async () => {
    const { sync } = argocd.application(app) ?? {};
    return sync?.status === 'Synced' && sync.revision === revisions.join(',');
  });
}

/** A chart whose one object carries its version. */
function chart(version: string): Rendered {
  const template =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: charted\ndata:\n  value: {{ .Chart.Version | quote }}\n';
  return {
    files: {
      'Chart.yaml': `apiVersion: v2\nname: charted\nversion: ${version}\n`,
      'templates/config.yaml': template,
    },
    renders: [configMap('charted', { value: version })],
  };
}

function bare(name: string): Rendered['renders'][number] {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

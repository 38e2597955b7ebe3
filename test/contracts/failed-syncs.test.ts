import { expect } from 'vitest';
import {
  createApplication,
  ended,
  projectPath,
  read,
  request,
  sync,
  untilRefreshed,
  untilVerdict,
  verdict,
} from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, definition, deployment, hasConfigMap } from './objects.ts';
import { record } from './record.ts';

describeContract('a sync that cannot work', (behaves) => {
  behaves('is Failed when the API server refuses an object, and what could be applied is', async (cluster) => {
    const bad = deployment('bad');
    const selector = { matchLabels: { app: 'other' } };
    await cluster.git.commit({ app: [configMap('one'), { ...bad, spec: { ...(bad['spec'] as object), selector } }] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const state = await sync(cluster, app);
    expect(state.phase).toBe('Failed');
    expect(state.message).toMatch(/^one or more synchronization tasks completed unsuccessfully, reason: .*selector/s);
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
    expect((await read(cluster, app))?.status?.history ?? []).toEqual([]);
  });

  behaves('is Failed before anything is applied when a kind is not defined', async (cluster) => {
    const thing = { apiVersion: `${cluster.named('nowhere')}.example.com/v1`, kind: 'Thing', metadata: { name: 'it' } };
    await cluster.git.commit({ app: [configMap('one'), thing] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const state = await sync(cluster, app);
    expect(state).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('synchronization tasks are not valid'),
    });
    expect(state.syncResult?.resources?.find(({ kind }) => kind === 'Thing')?.message).toMatch(
      /^The Kubernetes API could not find/,
    );
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves('works when the definition of the kind comes in the same sync', async (cluster) => {
    const group = `${cluster.named('group')}.example.com`;
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'it' } };
    await cluster.git.commit({ app: [thing, definition(group, 'Thing')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    expect(await sync(cluster, app)).toMatchObject({ phase: 'Succeeded' });
    await untilRefreshed(cluster, app, 'Synced Healthy');
  });

  behaves('is Failed when the namespace is not there', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const namespace = cluster.named('missing');
    const app = await createApplication(cluster, 'app', { path: 'app', namespace });
    const { phase, message } = await sync(cluster, app);
    expect({ phase, message }).toEqual({
      phase: 'Failed',
      message: expect.stringContaining(`namespaces "${namespace}" not found`),
    });
  });

  behaves('is Failed when the API server forbids an object, as in a namespace that is going', async (cluster) => {
    const namespace = cluster.named('going');
    const going = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await cluster.client.create('/api/v1/namespaces', going);
    const stuck = configMap('stuck', { finalizers: ['example.com/slow'] });
    await cluster.client.create(configMapPath({ namespace }), stuck);
    await cluster.client.delete(`/api/v1/namespaces/${namespace}`);
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app', namespace });
    const state = await sync(cluster, app);
    expect(state.phase).toBe('Failed');
    expect(state.message).toMatch(/configmaps "one" is forbidden: unable to create new content in namespace/);
    expect((await read(cluster, app))?.status?.history ?? []).toEqual([]);
  });

  behaves('has an Unknown verdict with InvalidSpecError when the project forbids the destination', async (cluster) => {
    await allowOnly(cluster, { destinations: [{ server: '*', namespace: 'elsewhere' }] });
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const seen = await untilVerdict(cluster, app, 'Unknown Unknown');
    expect(seen.status?.conditions).toMatchObject([
      { type: 'InvalidSpecError', message: expect.stringContaining('do not match any of the allowed destinations') },
    ]);
    expect(await sync(cluster, app)).toMatchObject({ phase: expect.stringMatching(/^(Error|Failed)$/) });
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves('is Failed when the project forbids a cluster-wide kind', async (cluster) => {
    await allowOnly(cluster, { clusterResourceWhitelist: [] });
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: cluster.named('role') },
      rules: [],
    };
    await cluster.git.commit({ app: [configMap('one'), role] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const state = await sync(cluster, app);
    expect(state.phase).toBe('Failed');
    expect(state.syncResult?.resources?.find(({ kind }) => kind === 'ClusterRole')?.message).toMatch(
      /ClusterRole is not permitted in project/,
    );
  });

  behaves('ends in Error when the project is not there, and the Application says so', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app', project: cluster.named('none') });
    const seen = await untilVerdict(cluster, app, 'Unknown Unknown');
    expect(seen.status?.conditions).toMatchObject([
      { type: 'InvalidSpecError', message: expect.stringContaining('which does not exist') },
    ]);
    expect((await sync(cluster, app)).phase).toBe('Error');
  });

  behaves('ends in Error when Git cannot be read', async (cluster) => {
    await cluster.git.commit({ app: { broken: 'apiVersion: v1\nkind: ConfigMap\nmetadata: }' } });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const state = await sync(cluster, app);
    expect(state.phase).toBe('Error');
    expect(state.message).toMatch(/^ComparisonError: /);
  });
});

describeContract('a retry', (behaves) => {
  behaves(
    'is announced as Running with finishedAt and retryCount: only a completed phase is an end',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app', namespace: cluster.named('missing') });
      await untilVerdict(cluster, app, 'OutOfSync Missing');
      const states = await record(cluster, app);
      await request(cluster, app, { retry: { limit: 2, backoff: { duration: '1s', factor: 1, maxDuration: '1s' } } });
      const last = await ended(cluster, app);
      expect(last).toMatchObject({ phase: 'Failed', retryCount: 2 });
      expect(last.message).toMatch(/\(retried 2 times\)\.$/);
      const between = states.flatMap(({ operation, status }) => {
        const state = status?.operationState;
        return state?.phase === 'Running' && state.finishedAt !== undefined ? [{ operation, state }] : [];
      });
      expect(new Set(between.map(({ state }) => state.retryCount))).toEqual(new Set([1, 2]));
      for (const { operation, state } of between) {
        expect(operation).toBeDefined();
        expect(state.message).toMatch(/Retrying attempt #\d at /);
      }
    },
  );

  behaves('succeeds when the reason has gone meanwhile', async (cluster) => {
    const namespace = cluster.named('late');
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app', namespace });
    await request(cluster, app, { retry: { limit: 5, backoff: { duration: '1s', factor: 1, maxDuration: '1s' } } });
    await cluster.eventually('the first attempt has failed', async () => {
      const seen = await read(cluster, app);
      return seen?.status?.operationState?.retryCount !== undefined;
    });
    const metadata = { name: namespace };
    await cluster.client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    expect(await ended(cluster, app)).toMatchObject({ phase: 'Succeeded' });
    expect(verdict(await untilVerdict(cluster, app, 'Synced Healthy'))).toBe('Synced Healthy');
  });
});

/** Narrows what the case's AppProject allows. */
async function allowOnly(cluster: ContractCluster, spec: object): Promise<void> {
  await cluster.client.mergePatch(projectPath(cluster.project), { spec });
}

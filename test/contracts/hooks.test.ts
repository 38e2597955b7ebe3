import { expect } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import {
  createApplication,
  ended,
  read,
  refresh,
  request,
  type SeenOperation,
  sync,
  untilRefreshed,
  untilRunning,
} from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, hasConfigMap, serve } from './objects.ts';

const apiVersion = 'acid.zalan.do/v1';
const kind = 'postgresql';
const waits = /^waiting for completion of hook acid\.zalan\.do\/postgresql\/hook/;

describeContract('a hook', (behaves) => {
  behaves('of PreSync holds back everything else until its own health says that it is done', async (cluster) => {
    const app = await withHook(cluster, 'PreSync');
    await request(cluster, app);
    await untilRunning(cluster, app, waits);
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
    await turn(cluster, 'Running');
    expect(await ended(cluster, app)).toMatchObject({ phase: 'Succeeded' });
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
  });

  behaves('of PostSync keeps the operation running when all else is there and well', async (cluster) => {
    const app = await withHook(cluster, 'PostSync');
    await request(cluster, app);
    await untilRunning(cluster, app, waits);
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
    // Nothing but the operation tells that it is not over.
    await untilRefreshed(cluster, app, 'Synced Healthy');
    expect((await read(cluster, app))?.operation).toBeDefined();
    await turn(cluster, 'Running');
    const state = await ended(cluster, app);
    expect(state).toMatchObject({ phase: 'Succeeded', message: 'successfully synced (no more tasks)' });
    expect(hookIn(state)).toMatchObject({ hookType: 'PostSync', hookPhase: 'Succeeded', syncPhase: 'PostSync' });
  });

  behaves('that fails ends the operation, and what comes after it is not applied', async (cluster) => {
    const app = await withHook(cluster, 'PreSync');
    await request(cluster, app);
    await untilRunning(cluster, app, waits);
    await turn(cluster, 'CreateFailed');
    const state = await ended(cluster, app);
    expect(state.phase).toBe('Failed');
    expect(state.message).toBe('one or more synchronization tasks completed unsuccessfully');
    expect(hookIn(state)).toMatchObject({ hookPhase: 'Failed' });
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves('that is still there is listed as one, and counts neither for sync nor for health', async (cluster) => {
    const app = await withHook(cluster, 'PostSync');
    await request(cluster, app);
    await untilRunning(cluster, app, waits);
    await turn(cluster, 'Running');
    expect((await ended(cluster, app)).phase).toBe('Succeeded');
    await turn(cluster, 'CreateFailed');
    const { status } = await untilRefreshed(cluster, app, 'Synced Healthy');
    expect(status?.resources?.find(({ name }) => name === 'hook')).toMatchObject({ hook: true });
    await cluster.eventually('the engine knows it for one', async () =>
      cluster.world.argocd.application(app)?.resources.some(({ name, hook }) => name === 'hook' && hook),
    );
  });

  behaves('is left out when only part of the objects is synced', async (cluster) => {
    const app = await withHook(cluster, 'PreSync');
    const resources = [{ kind: 'ConfigMap', name: 'one', namespace: cluster.namespace }];
    expect((await sync(cluster, app, { sync: { resources } })).phase).toBe('Succeeded');
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
    expect(await cluster.client.get(hookPath(cluster))).toBeUndefined();
    expect((await refresh(cluster, app)).status?.sync?.status).toBe('Synced');
  });
});

/** An Application with one object and a hook that takes as long as the case wants. */
async function withHook(cluster: ContractCluster, phase: 'PreSync' | 'PostSync'): Promise<string> {
  await serve(cluster, { apiVersion, kind });
  const metadata = { name: 'hook', annotations: { 'argocd.argoproj.io/hook': phase } };
  await cluster.git.commit({ app: [configMap('one'), { apiVersion, kind, metadata }] });
  return createApplication(cluster, 'app', { path: 'app' });
}

const hookPath = ({ namespace }: ContractCluster): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${kind}s/hook`;

/** What its operator would write. */
async function turn(cluster: ContractCluster, word: 'Running' | 'CreateFailed'): Promise<void> {
  const live = await cluster.client.get<KubeObject>(hookPath(cluster));
  await cluster.client.replace(`${hookPath(cluster)}/status`, { ...live, status: { PostgresClusterStatus: word } });
}

function hookIn({ syncResult }: SeenOperation): object | undefined {
  return syncResult?.resources?.find(({ name }) => name === 'hook');
}

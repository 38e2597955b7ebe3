import { expect } from 'vitest';
import { barrier } from '../../src/engine/barrier.ts';
import { operate } from '../../src/engine/operation.ts';
import { cascade, createApplication, pathOf, projectPath, read, refresh, sync, untilVerdict, verdict } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, hasConfigMap } from './objects.ts';

describeContract('an Application in another namespace', (behaves) => {
  behaves('is compared, synced and marked with its namespace and name', async (cluster) => {
    const app = await inTeam(cluster, {});
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    expect((await sync(cluster, app)).phase).toBe('Succeeded');
    await untilVerdict(cluster, app, 'Synced Healthy');
    const mark = `${app.replace('/', '_')}:/ConfigMap:${cluster.namespace}/one`;
    expect(await cluster.client.get(configMapPath(cluster, 'one'))).toMatchObject({
      metadata: { annotations: { 'argocd.argoproj.io/tracking-id': mark } },
    });
    expect(verdict(await refresh(cluster, app))).toBe('Synced Healthy');
  });

  behaves('is held by its bare name', async (cluster) => {
    const [, name = ''] = teamed(cluster).split('/');
    await cluster.world.argocd.hold(cluster.project, [name], cluster.signal);
    const app = await inTeam(cluster, { automated: true });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await refresh(cluster, app);
    await cluster.always('it waits', async () => !(await hasConfigMap(cluster, 'one')), 2_000);
    expect((await sync(cluster, app)).phase).toBe('Succeeded');
  });

  behaves('is seen, held, compared and synced by the engine, by its qualified name', async (cluster) => {
    const { world, signal } = cluster;
    const app = teamed(cluster);
    await world.argocd.hold(cluster.project, [app], signal);
    const projects = await world.argocd.projects(signal);
    expect(projects.find(({ name }) => name === cluster.project)?.held).toEqual([app]);
    await inTeam(cluster, { automated: true });
    const isNow = (sync: string, health: string): Promise<boolean> =>
      cluster.eventually(`the watch shows it ${sync} and ${health}`, async () => {
        const seen = world.argocd.application(app);
        return seen?.name === app && seen.sync.status === sync && seen.health.status === health;
      });
    await isNow('OutOfSync', 'Missing');
    expect(await barrier(world, app, cluster.deadline(), signal)).toHaveProperty('refreshedAt');
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
    const order = { node: 'app', application: app, runId: 'run', deadline: cluster.deadline() };
    expect(await operate(world, () => undefined, order, signal)).toMatchObject({ ended: 'succeeded' });
    await isNow('Synced', 'Healthy');
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
  });

  behaves('takes its objects along when it is deleted with the finalizer', async (cluster) => {
    const app = await inTeam(cluster, { finalizers: [cascade] });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Healthy');
    await cluster.client.delete(pathOf(app));
    await cluster.eventually(`${app} is gone`, async () => (await read(cluster, app)) === undefined);
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves('does not meet one of the same name beside Argo CD', async (cluster) => {
    const app = await inTeam(cluster, {});
    await cluster.git.commit({ near: [configMap('near')] });
    const near = await createApplication(cluster, 'app', { path: 'near' });
    await sync(cluster, app);
    await sync(cluster, near);
    expect(verdict(await untilVerdict(cluster, app, 'Synced Healthy'))).toBe('Synced Healthy');
    expect(verdict(await untilVerdict(cluster, near, 'Synced Healthy'))).toBe('Synced Healthy');
    expect([await hasConfigMap(cluster, 'one'), await hasConfigMap(cluster, 'near')]).toEqual([true, true]);
  });

  behaves('is refused by a project that does not name its namespace', async (cluster) => {
    await cluster.client.mergePatch(projectPath(cluster.project), { spec: { sourceNamespaces: [] } });
    const app = await inTeam(cluster, {});
    const seen = await cluster.eventually('it has a condition', async () => {
      const now = await read(cluster, app);
      return now?.status?.conditions === undefined ? undefined : now;
    });
    expect(seen.status?.conditions).toMatchObject([
      { type: 'UnknownError', message: expect.stringContaining('is not permitted to use project') },
    ]);
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });
});

const teamed = (cluster: ContractCluster): string => `${cluster.named('team')}/${cluster.named('app')}`;

/** An Application in a namespace of a team. */
async function inTeam(cluster: ContractCluster, wish: { automated?: boolean; finalizers?: string[] }): Promise<string> {
  const [team = ''] = teamed(cluster).split('/');
  await cluster.client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } });
  await cluster.git.commit({ app: [configMap('one')] });
  return createApplication(cluster, 'app', { path: 'app', in: team, ...wish });
}

import { expect } from 'vitest';
import {
  application,
  cascade,
  createApplication,
  pathOf,
  read,
  refresh,
  sync,
  untilRefreshed,
  untilVerdict,
  verdict,
} from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, definition, deployment, deploymentPath, hasConfigMap } from './objects.ts';

describeContract('deleting an Application', (behaves) => {
  behaves(
    'without the finalizer leaves its objects behind, and who takes the name again adopts them',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await synced(cluster, {});
      await cluster.client.delete(pathOf(app));
      await untilGone(cluster, app);
      await cluster.always('its object stays', () => hasConfigMap(cluster, 'one'), 1_000);
      await createApplication(cluster, 'app', { path: 'app' });
      await untilVerdict(cluster, app, 'Synced Healthy');
    },
  );

  behaves('with the finalizer takes its objects along, and a hold does not stop that', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), deployment('web')] });
    const app = await synced(cluster, {});
    await cluster.world.argocd.hold(cluster.project, [app], cluster.signal);
    await cluster.world.argocd.cascade(app, cluster.signal);
    await cluster.world.argocd.delete(app, cluster.signal);
    await untilGone(cluster, app);
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
    expect(await cluster.client.get(deploymentPath(cluster, 'web'))).toBeUndefined();
  });

  behaves('waits for an object with a foreign finalizer; when that goes, so does the Application', async (cluster) => {
    const finalizers = ['example.com/never-removed'];
    await cluster.git.commit({ app: [configMap('stuck', { finalizers }), configMap('one')] });
    const app = await synced(cluster, { finalizers: [cascade] });
    await cluster.client.delete(pathOf(app));
    await cluster.eventually('the other object is gone', async () => !(await hasConfigMap(cluster, 'one')));
    const isWaiting = async (): Promise<boolean> =>
      (await read(cluster, app))?.metadata.deletionTimestamp !== undefined;
    await cluster.always('the Application waits', isWaiting, 2_000);
    await cluster.client.mergePatch(configMapPath(cluster, 'stuck'), { metadata: { finalizers: null } });
    await untilGone(cluster, app);
  });

  behaves('spares an object that says `Delete=false`', async (cluster) => {
    const annotations = { 'argocd.argoproj.io/sync-options': 'Delete=false' };
    await cluster.git.commit({ app: [configMap('kept', { annotations }), configMap('one')] });
    const app = await synced(cluster, { finalizers: [cascade] });
    await cluster.client.delete(pathOf(app));
    await untilGone(cluster, app);
    expect([await hasConfigMap(cluster, 'kept'), await hasConfigMap(cluster, 'one')]).toEqual([true, false]);
  });

  behaves(
    'spares an object on which somebody put `Delete=false` by hand, which is no drift, once it has heard of it: `Prune=confirm` shows that',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('kept'), configMap('one')] });
      const app = await synced(cluster, { finalizers: [cascade] });
      const annotations = { 'argocd.argoproj.io/sync-options': 'Delete=false,Prune=confirm' };
      await cluster.client.mergePatch(configMapPath(cluster, 'kept'), { metadata: { annotations } });
      const heard = await cluster.eventually('the Application says so', async () => {
        const seen = await refresh(cluster, app);
        return seen.status?.resources?.some((one) => one.requiresDeletionConfirmation) && seen;
      });
      expect(verdict(heard)).toBe('Synced Healthy');
      await cluster.client.delete(pathOf(app));
      await untilGone(cluster, app);
      expect([await hasConfigMap(cluster, 'kept'), await hasConfigMap(cluster, 'one')]).toEqual([true, false]);
    },
  );

  behaves('never takes a definition along, and no definition carries the mark of an Application', async (cluster) => {
    const crd = definition(`${cluster.named('group')}.example.com`, 'Thing');
    await cluster.git.commit({ app: [crd, configMap('one')] });
    const app = await synced(cluster, { finalizers: [cascade] });
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
    const live = await cluster.client.get<{ metadata: { annotations?: object } }>(path);
    expect(Object.keys(live?.metadata.annotations ?? {})).not.toContain('argocd.argoproj.io/tracking-id');
    const one = await cluster.client.get(configMapPath(cluster, 'one'));
    expect(one).toMatchObject({
      metadata: { annotations: { 'argocd.argoproj.io/tracking-id': `${app}:/ConfigMap:${cluster.namespace}/one` } },
    });
    await cluster.client.delete(pathOf(app));
    await untilGone(cluster, app);
    expect(await cluster.client.get(path)).toMatchObject({ kind: 'CustomResourceDefinition' });
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves('never takes the namespace along that CreateNamespace made', async (cluster) => {
    const namespace = cluster.named('made');
    await cluster.git.commit({ app: [configMap('one')] });
    const syncOptions = ['CreateNamespace=true'];
    const app = await createApplication(cluster, 'app', { path: 'app', namespace, syncOptions, finalizers: [cascade] });
    await sync(cluster, app, { sync: { syncOptions } });
    await untilVerdict(cluster, app, 'Synced Healthy');
    await cluster.client.delete(pathOf(app));
    await untilGone(cluster, app);
    expect(await cluster.client.get(`/api/v1/namespaces/${namespace}`)).toMatchObject({ status: { phase: 'Active' } });
    expect(await cluster.client.get(configMapPath({ namespace }, 'one'))).toBeUndefined();
  });

  behaves('goes by waves, the last one first', async (cluster) => {
    const wave = (number: string): object => ({ annotations: { 'argocd.argoproj.io/sync-wave': number } });
    const finalizers = ['example.com/slow'];
    await cluster.git.commit({ app: [configMap('early', wave('0')), configMap('late', { ...wave('1'), finalizers })] });
    const app = await synced(cluster, { finalizers: [cascade] });
    await cluster.client.delete(pathOf(app));
    await cluster.always('the early object waits for the late one', () => hasConfigMap(cluster, 'early'), 1_500);
    await cluster.client.mergePatch(configMapPath(cluster, 'late'), { metadata: { finalizers: null } });
    await untilGone(cluster, app);
    expect(await hasConfigMap(cluster, 'early')).toBe(false);
  });

  behaves(
    'of a parent with the finalizer takes its children along, whose objects stay unless they have it, too',
    async (cluster) => {
      const children = ['plain', 'deep'].map(cluster.named);
      const [plain = '', deep = ''] = children;
      await cluster.git.commit({
        parent: [
          application(cluster, plain, { path: 'plain' }),
          application(cluster, deep, { path: 'deep', finalizers: [cascade] }),
        ],
        plain: [configMap('plain')],
        deep: [configMap('deep')],
      });
      const parent = await createApplication(cluster, 'parent', { path: 'parent', finalizers: [cascade] });
      await sync(cluster, parent);
      for (const child of children) await sync(cluster, child);
      // What is deleted before the controller's cache knows its objects leaves them behind.
      for (const child of children) await untilVerdict(cluster, child, 'Synced Healthy');
      await cluster.client.delete(pathOf(parent));
      for (const name of [parent, ...children]) await untilGone(cluster, name);
      expect([await hasConfigMap(cluster, 'plain'), await hasConfigMap(cluster, 'deep')]).toEqual([true, false]);
    },
  );

  behaves('by uid never meets a successor of the same name', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const first = await synced(cluster, {});
    const { uid } = (await read(cluster, first))!.metadata;
    await cluster.client.delete(pathOf(first));
    await untilGone(cluster, first);
    const successor = await createApplication(cluster, 'app', { path: 'app' });
    const late = cluster.client.delete(pathOf(successor), { preconditions: { uid } });
    await expect(late).rejects.toMatchObject({ status: 409 });
    expect((await read(cluster, successor))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

async function synced(cluster: ContractCluster, wish: { finalizers?: string[] }): Promise<string> {
  const app = await createApplication(cluster, 'app', { path: 'app', ...wish });
  const { phase, message } = await sync(cluster, app);
  expect(phase, message).toBe('Succeeded');
  await untilRefreshed(cluster, app, 'Synced Healthy');
  return app;
}

async function untilGone(cluster: ContractCluster, app: string): Promise<void> {
  await cluster.eventually(`${app} is gone`, async () => (await read(cluster, app)) === undefined);
}

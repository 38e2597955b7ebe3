import { expect } from 'vitest';
import { barrier } from '../../src/engine/barrier.ts';
import {
  createApplication,
  pathOf,
  read,
  refresh,
  refreshAnnotation,
  type SeenApplication,
  sync,
  untilRefreshed,
  untilVerdict,
  verdict,
} from './argo.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, definition, deployment, deploymentPath } from './objects.ts';
import { record, turningPoint } from './record.ts';

describeContract('a refresh', (behaves) => {
  behaves('loses its annotation in the very write that brings the new verdict: the barrier', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    const commit = await cluster.git.commit({ app: [configMap('two')] });
    const states = await record(cluster, app);
    await refresh(cluster, app);
    await cluster.eventually('the watch shows it', async () => states.length > 2);
    const isAsked = (seen: (typeof states)[number]): boolean =>
      seen.metadata.annotations?.[refreshAnnotation] !== undefined;
    const { before, after } = turningPoint(states, (seen) => !isAsked(seen));
    expect(before.status?.sync?.revision).not.toBe(commit);
    expect(after.status?.sync?.revision).toBe(commit);
  });

  behaves('shows a new commit, which nobody notices without it', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Healthy');
    // An operation that has ended is followed by a look of Argo CD's own, which may come late.
    await refresh(cluster, app);
    const commit = await cluster.git.commit({ app: [configMap('one', { value: '2' })] });
    const isOld = async (): Promise<boolean> => verdict(await read(cluster, app)) === 'Synced Healthy';
    await cluster.always('the commit goes unnoticed', isOld, 3_000);
    const seen = await refresh(cluster, app);
    expect(verdict(seen)).toBe('OutOfSync Healthy');
    expect(seen.status?.sync?.revision).toBe(commit);
  });

  behaves(
    'answers the barrier of the engine after an operation with the verdict on what was applied',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await sync(cluster, app);
      const { world, signal } = cluster;
      await cluster.eventually('the verdict is Synced after some barrier', async () => {
        const answer = await barrier(world, app, cluster.deadline(), signal);
        expect(answer).toHaveProperty('refreshedAt');
        return world.argocd.application(app)?.sync.status === 'Synced';
      });
    },
  );

  behaves(
    'need not be waited for by who saw OutOfSync turn to Synced after an operation: that record saw what was applied',
    async (cluster) => {
      await cluster.git.commit({ app: [deployment('web'), configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await sync(cluster, app);
      await untilVerdict(cluster, app, 'Synced Healthy');
      const commit = await cluster.git.commit({
        app: [deployment('web', { starts: false }), configMap('one', { value: '2' })],
      });
      await untilRefreshed(cluster, app, 'OutOfSync Healthy');
      const states = await record(cluster, app);
      await sync(cluster, app);
      await cluster.eventually('it is Synced', async () => states.some((seen) => isSyncedAt(seen, commit)));
      await untilVerdict(cluster, app, 'Synced Progressing');
      // What was Healthy before the operation, and is not any more, is so in no record that is Synced at its commit.
      expect(states.filter((seen) => isSyncedAt(seen, commit)).map(verdict)).not.toContain('Synced Healthy');
    },
  );

  behaves('says missing when the Application goes', async (cluster) => {
    const { world, clock, signal } = cluster;
    expect(await barrier(world, cluster.named('nobody'), clock.now() + 1_000, signal)).toEqual({ missing: true });
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    const frozen = { metadata: { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } } };
    await cluster.client.mergePatch(pathOf(app), frozen);
    const answer = barrier(world, app, cluster.deadline(), signal);
    await cluster.eventually('it is asked for', async () => world.argocd.application(app)?.refreshRequested);
    await cluster.client.delete(pathOf(app));
    expect(await answer).toEqual({ missing: true });
  });

  behaves(
    'that was overlooked happens when something else in the object changes, not when it is asked for again',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await untilVerdict(cluster, app, 'OutOfSync Missing');
      const ask = { metadata: { annotations: { [refreshAnnotation]: 'normal' } } };
      await cluster.client.mergePatch(pathOf(app), ask);
      const isAsked = async (): Promise<boolean> =>
        (await read(cluster, app))?.metadata.annotations?.[refreshAnnotation] !== undefined;
      await cluster.always('the annotation stays', isAsked, 20_000);
      await cluster.client.mergePatch(pathOf(app), ask);
      await cluster.always('the annotation stays', isAsked, 20_000);
      await cluster.client.mergePatch(pathOf(app), { metadata: { annotations: { 'tiphys.dev/nonce': '1' } } });
      await cluster.eventually('the annotation is gone', async () => !(await isAsked()), 1_000);
    },
    { oneSided: 'refresh-overlooked', sandbox: { timing: { overlooks: onlyTheFirst() } } },
  );
});

describeContract('a verdict', (behaves) => {
  behaves('follows the live objects without being asked', async (cluster) => {
    await cluster.git.commit({ app: [deployment('web', { starts: false })] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Progressing');
    await cluster.client.mergePatch(deploymentPath(cluster, 'web'), { spec: { paused: true } });
    await untilVerdict(cluster, app, 'Synced Suspended');
  });

  behaves(
    'does not follow a definition, which carries no mark: only a refresh shows what became of it',
    async (cluster) => {
      const crd = definition(`${cluster.named('group')}.example.com`, 'Thing');
      const labels = { 'example.com/part': 'one' };
      await cluster.git.commit({ app: [{ ...crd, metadata: { ...crd.metadata, labels } }] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await sync(cluster, app);
      await untilRefreshed(cluster, app, 'Synced Healthy');
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
      await cluster.client.mergePatch(path, { metadata: { labels: { 'example.com/part': 'other' } } });
      const isSynced = async (): Promise<boolean> => verdict(await read(cluster, app)) === 'Synced Healthy';
      await cluster.always('the change goes unnoticed', isSynced, 3_000);
      await untilRefreshed(cluster, app, 'OutOfSync Healthy');
    },
  );

  behaves('is Synced and Healthy at once for an Application without any object', async (cluster) => {
    await cluster.git.commit({ app: [] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const seen = await untilVerdict(cluster, app, 'Synced Healthy');
    expect(seen.status?.resources ?? []).toEqual([]);
    expect(await sync(cluster, app)).toMatchObject({ phase: 'Succeeded' });
  });

  behaves('stays Healthy when an object is missing: only the sync status tells', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Healthy');
    await cluster.client.delete(configMapPath(cluster, 'two'));
    await untilVerdict(cluster, app, 'OutOfSync Healthy');
  });

  behaves(
    'on single objects is not in the Application: their health is left to whoever reads them',
    async (cluster) => {
      await cluster.git.commit({ app: [deployment('web')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await sync(cluster, app);
      const seen = await untilVerdict(cluster, app, 'Synced Healthy');
      expect(seen.status?.resourceHealthSource).toBe('appTree');
      expect(seen.status?.resources?.map(({ health }) => health)).toEqual([undefined]);
    },
  );

  behaves('is Unknown and yet Healthy when Git cannot be read: health alone opens no gate', async (cluster) => {
    await cluster.git.commit({ app: { broken: 'apiVersion: v1\nkind: ConfigMap\nmetadata: }' } });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const seen = await untilVerdict(cluster, app, 'Unknown Healthy');
    expect(seen.status?.conditions?.map(({ type }) => type)).toEqual(['ComparisonError']);
  });

  behaves('is Unknown and yet Healthy when the path is not there', async (cluster) => {
    await cluster.git.commit({ elsewhere: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const seen = await untilVerdict(cluster, app, 'Unknown Healthy');
    expect(seen.status?.conditions?.[0]).toMatchObject({
      type: 'ComparisonError',
      message: expect.stringContaining('app path does not exist'),
    });
  });
});

function isSyncedAt({ status }: SeenApplication, commit: string): boolean {
  return status?.sync?.status === 'Synced' && status.sync.revision === commit;
}

/** The controller overlooks the first change that asks for something. */
function onlyTheFirst(): () => boolean {
  let isFirst = true;
  return () => {
    const overlooks = isFirst;
    isFirst = false;
    return overlooks;
  };
}

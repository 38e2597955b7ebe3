import { expect } from 'vitest';
import { operate } from '../../src/engine/operation.ts';
import { createApplication, ended, pathOf, read, refusal, request, sync, untilVerdict, verdict } from './argo.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, deployment, hasConfigMap } from './objects.ts';
import { record, turningPoint } from './record.ts';

const quiet = (): undefined => undefined;

describeContract('an operation', (behaves) => {
  behaves('begins when `operation` is patched onto the Application, and applies what Git holds', async (cluster) => {
    const commit = await cluster.git.commit({ app: [configMap('one'), deployment('web')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    const state = await sync(cluster, app);
    expect(state).toMatchObject({ phase: 'Succeeded', syncResult: { revision: commit } });
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
    await untilVerdict(cluster, app, 'Synced Healthy');
  });

  behaves('says of each object whether it was created, changed or found as it should be', async (cluster) => {
    const words = async (state: Awaited<ReturnType<typeof sync>>): Promise<string[]> =>
      (state.syncResult?.resources ?? [])
        .map(({ name, message = '' }) => `${name} ${message.split(' ').at(-1)}`)
        .sort();
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    expect(await words(await sync(cluster, app))).toEqual(['one created', 'two created']);
    await untilVerdict(cluster, app, 'Synced Healthy');
    const wanted = ['one', 'two'].map((name) => `/ConfigMap ${cluster.namespace}/${name}`);
    await cluster.eventually('the engine knows them', async () => {
      const seen = cluster.world.argocd.application(app)?.lastOperation?.created ?? new Set<string>();
      return seen.size === wanted.length && wanted.every((name) => seen.has(name));
    });
    await cluster.git.commit({ app: [configMap('one'), { ...configMap('two'), data: { other: 'value' } }] });
    expect(await words(await sync(cluster, app))).toEqual(['one unchanged', 'two configured']);
  });

  behaves('is copied into its state, so that an id in `info` says whose it was', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const info = [{ name: 'tiphys.dev/step', value: 'app/42' }];
    const state = await sync(cluster, app, { info });
    expect(state.operation.info).toEqual(info);
  });

  behaves(
    'ends by one write that sets the last phase and removes `operation`; the verdict is still the old one',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await untilVerdict(cluster, app, 'OutOfSync Missing');
      const states = await record(cluster, app);
      await sync(cluster, app);
      await untilVerdict(cluster, app, 'Synced Healthy');
      const { before, after } = turningPoint(states, ({ status }) => status?.operationState?.phase === 'Succeeded');
      expect(before.operation).toBeDefined();
      expect(after.operation).toBeUndefined();
      expect(after.status?.operationState?.finishedAt).toBeDefined();
      expect(verdict(after)).toBe(verdict(before));
      expect(after.status?.reconciledAt).toBe(before.status?.reconciledAt);
    },
  );

  behaves(
    'is lost when the object has moved since it was read: compare-and-swap by resourceVersion',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      const app = await createApplication(cluster, 'app', { path: 'app' });
      const old = await untilVerdict(cluster, app, 'OutOfSync Missing');
      await cluster.client.mergePatch(pathOf(app), { metadata: { annotations: { moved: 'yes' } } });
      const { resourceVersion } = old.metadata;
      const late = { metadata: { resourceVersion }, operation: { sync: {} } };
      expect(await refusal(cluster.client.mergePatch(pathOf(app), late))).toMatchObject({
        status: 409,
        reason: 'Conflict',
      });
      expect((await read(cluster, app))?.operation).toBeUndefined();
    },
  );

  behaves('without a revision takes the commit that is the head now, whatever was compared last', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    const newest = await cluster.git.commit({ app: [configMap('two')] });
    expect((await sync(cluster, app)).syncResult?.revision).toBe(newest);
    expect(await hasConfigMap(cluster, 'two')).toBe(true);
  });

  behaves('on part of the objects applies those and no other, and is not written into the history', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    const resources = [{ kind: 'ConfigMap', name: 'two', namespace: cluster.namespace }];
    expect((await sync(cluster, app, { sync: { resources } })).phase).toBe('Succeeded');
    expect([await hasConfigMap(cluster, 'one'), await hasConfigMap(cluster, 'two')]).toEqual([false, true]);
    const seen = await untilVerdict(cluster, app, 'OutOfSync Healthy');
    expect(seen.status?.history ?? []).toEqual([]);
    await sync(cluster, app);
    expect((await untilVerdict(cluster, app, 'Synced Healthy')).status?.history).toHaveLength(1);
  });

  behaves('follows the engine from start to end, whoever had the last one', async (cluster) => {
    const commit = await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await cluster.eventually('the watch shows it', async () => cluster.world.argocd.application(app) !== undefined);
    for (let turn = 0; turn < 2; turn++) {
      const order = { node: 'app', application: app, runId: 'run', deadline: cluster.deadline() };
      expect(await operate(cluster.world, quiet, order, cluster.signal)).toMatchObject({
        ended: 'succeeded',
        revision: commit,
      });
    }
  });

  behaves('does not take the sync options of the spec: who asks must copy them', async (cluster) => {
    const namespace = cluster.named('made');
    await cluster.git.commit({ app: [configMap('one')] });
    const wish = { path: 'app', namespace, syncOptions: ['CreateNamespace=true'] };
    const app = await createApplication(cluster, 'app', wish);
    const without = await sync(cluster, app);
    expect(without.phase).toBe('Failed');
    expect(without.message).toMatch(new RegExp(`namespaces "${namespace}" not found`));
    const { phase } = await sync(cluster, app, { sync: { syncOptions: wish.syncOptions } });
    expect(phase).toBe('Succeeded');
  });

  behaves('leaves what Git no longer holds alone unless it may prune', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await sync(cluster, app);
    await cluster.git.commit({ app: [configMap('one')] });
    await request(cluster, app);
    expect((await ended(cluster, app)).phase).toBe('Succeeded');
    expect(await hasConfigMap(cluster, 'two')).toBe(true);
    const left = await untilVerdict(cluster, app, 'OutOfSync Healthy');
    expect(left.status?.resources?.find(({ name }) => name === 'two')?.requiresPruning).toBe(true);
    await sync(cluster, app, { sync: { prune: true } });
    await cluster.eventually('the object is pruned', async () => !(await hasConfigMap(cluster, 'two')));
  });
});

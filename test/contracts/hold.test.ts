import { expect } from 'vitest';
import type { Platform } from '../../src/core/platform/platform.ts';
import { settle } from '../../src/engine/settle.ts';
import {
  createApplication,
  ended,
  pathOf,
  projectPath,
  read,
  refresh,
  request,
  sync,
  untilRunning,
  untilVerdict,
  verdict,
} from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { projectsPath } from './furnish.ts';
import { configMap, configMapPath, deployment, deploymentPath, hasConfigMap } from './objects.ts';

const hold = (cluster: ContractCluster, ...names: string[]): Promise<string> =>
  cluster.world.argocd.hold(cluster.project, names, cluster.signal);

describeContract('a hold', (behaves) => {
  behaves('by name keeps an Application that is created later from syncing itself', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    expect(await hold(cluster, cluster.named('app'))).toBe('changed');
    const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await refresh(cluster, app, 'hard');
    await cluster.always('nothing is synced', async () => !(await hasConfigMap(cluster, 'one')), 3_000);
    const seen = await read(cluster, app);
    expect(seen?.operation).toBeUndefined();
    expect(seen?.status?.operationState).toBeUndefined();
    expect(seen?.status?.conditions ?? []).toEqual([]);
  });

  behaves('lets an operation through whose `initiatedBy.automated` is not true', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    await hold(cluster, cluster.named('app'));
    const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
    expect((await sync(cluster, app)).phase).toBe('Succeeded');
    await untilVerdict(cluster, app, 'Synced Healthy');
  });

  behaves('stops self-healing, of changes and of deletions', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    await hold(cluster, cluster.named('app'));
    const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Healthy');
    await cluster.client.mergePatch(configMapPath(cluster, 'one'), { data: { value: 'by hand' } });
    await cluster.client.delete(configMapPath(cluster, 'two'));
    await untilVerdict(cluster, app, 'OutOfSync Healthy');
    await refresh(cluster, app);
    const isLeft = async (): Promise<boolean> => !(await hasConfigMap(cluster, 'two'));
    await cluster.always('the deleted object stays away', isLeft, 3_000);
    expect(await cluster.client.get(configMapPath(cluster, 'one'))).toMatchObject({ data: { value: 'by hand' } });
  });

  behaves(
    'keeps an automated operation for ever, Running, or Terminating when somebody terminates it; `operation: null` frees it',
    async (cluster) => {
      await cluster.git.commit({ app: [configMap('one')] });
      await hold(cluster, cluster.named('app'));
      const app = await createApplication(cluster, 'app', { path: 'app' });
      await untilVerdict(cluster, app, 'OutOfSync Missing');
      await request(cluster, app, { initiatedBy: { automated: true } });
      const isBlocked = async (): Promise<boolean> => {
        const state = (await read(cluster, app))?.status?.operationState;
        return state?.phase === 'Running' && /blocked by sync window/.test(state.message ?? '');
      };
      await untilRunning(cluster, app, /blocked by sync window/);
      await cluster.always('it stays so', isBlocked, 2_000);
      await cluster.client.mergePatch(pathOf(app), { status: { operationState: { phase: 'Terminating' } } });
      const isLeft = async (): Promise<boolean> => {
        const seen = await read(cluster, app);
        return seen?.operation !== undefined && seen.status?.operationState?.phase === 'Terminating';
      };
      await cluster.always('it stays, Terminating', isLeft, 2_000);
      await cluster.client.mergePatch(pathOf(app), { operation: null });
      expect((await sync(cluster, app)).phase).toBe('Succeeded');
    },
  );

  behaves(
    'lets an operation of ours be ended; what had its turn stays, and what had not never comes',
    async (cluster) => {
      const wave = { annotations: { 'argocd.argoproj.io/sync-wave': '1' } };
      await cluster.git.commit({ app: [deployment('never', { starts: false }), configMap('one', wave)] });
      await hold(cluster, cluster.named('app'));
      const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
      await untilVerdict(cluster, app, 'OutOfSync Missing');
      await request(cluster, app, { info: [{ name: 'tiphys.dev/step', value: 'app/1' }] });
      const { world } = cluster;
      await untilRunning(cluster, app, /waiting for healthy state/);
      await cluster.eventually('the watch shows it, too', async () =>
        /waiting for healthy state/.test(world.argocd.application(app)?.lastOperation?.message ?? ''),
      );
      const platform = { root: app, stacks: new Map(), apps: new Map() } as unknown as Platform;
      await settle(world, { platform, isStopped: async () => true }, cluster.signal);
      expect(await ended(cluster, app)).toMatchObject({ phase: 'Failed', message: 'Operation terminated' });
      await cluster.always('nothing more comes', async () => !(await hasConfigMap(cluster, 'one')), 2_000);
      expect(await cluster.client.get(deploymentPath(cluster, 'never'))).toBeDefined();
      expect((await read(cluster, app))?.operation).toBeUndefined();
    },
  );

  behaves('that goes away changes nothing until somebody refreshes the Application', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    await hold(cluster, cluster.named('app'));
    const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await hold(cluster);
    await cluster.always('nothing happens', async () => !(await hasConfigMap(cluster, 'one')), 4_000);
    await refresh(cluster, app);
    expect(await ended(cluster, app)).toMatchObject({
      phase: 'Succeeded',
      operation: { initiatedBy: { automated: true } },
    });
  });

  behaves('names Applications and leaves the others of the project alone', async (cluster) => {
    await cluster.git.commit({ held: [configMap('one')], free: [configMap('two')] });
    await hold(cluster, cluster.named('held'));
    const held = await createApplication(cluster, 'held', { path: 'held', automated: true });
    const free = await createApplication(cluster, 'free', { path: 'free', automated: true });
    await untilVerdict(cluster, free, 'Synced Healthy');
    expect(verdict(await refresh(cluster, held))).toBe('OutOfSync Missing');
  });

  behaves(
    'is seen to be missing where an AppProject appears, and where somebody takes the window away',
    async (cluster) => {
      const { world, signal } = cluster;
      const name = cluster.named('late');
      const untilHeld = (wanted: readonly string[]): Promise<void> =>
        world.argocd.projectsUntil((projects) => {
          const held = projects.find((project) => project.name === name)?.held;
          return held !== undefined && held.join() === wanted.join();
        }, signal);
      const appears = untilHeld([]);
      const spec = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
      const metadata = { name, namespace: 'argocd' };
      await cluster.client.create(projectsPath, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata,
        spec,
      });
      await appears;
      await world.argocd.hold(name, ['app'], signal);
      await untilHeld(['app']);
      await cluster.client.mergePatch(projectPath(name), { spec: { syncWindows: null } });
      await untilHeld([]);
    },
  );

  behaves('keeps the windows of other people', async (cluster) => {
    const theirs = {
      kind: 'allow',
      schedule: '0 22 * * *',
      duration: '1h',
      applications: ['nightly'],
      manualSync: true,
    };
    await cluster.client.mergePatch(projectPath(cluster.project), { spec: { syncWindows: [theirs] } });
    await hold(cluster, 'a');
    expect(await hold(cluster, 'a')).toBe('unchanged');
    await hold(cluster);
    const project = await cluster.client.get<{ spec: { syncWindows: unknown } }>(projectPath(cluster.project));
    expect(project?.spec.syncWindows).toEqual([theirs]);
  });
});

describeContract('auto-sync', (behaves) => {
  behaves('syncs a new Application, heals what people change and brings back what they delete', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one'), configMap('two')] });
    const app = await createApplication(cluster, 'app', { path: 'app', automated: true });
    await untilVerdict(cluster, app, 'Synced Healthy');
    await cluster.client.mergePatch(configMapPath(cluster, 'one'), { data: { value: 'by hand' } });
    await cluster.eventually('the object is as in Git', async () => {
      const one = await cluster.client.get<{ data: { value: string } }>(configMapPath(cluster, 'one'));
      return one?.data.value === '1';
    });
    await cluster.client.delete(configMapPath(cluster, 'two'));
    await cluster.eventually('the object is back', () => hasConfigMap(cluster, 'two'));
  });

  behaves('is what an Application without `automated` never does', async (cluster) => {
    await cluster.git.commit({ app: [configMap('one')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await refresh(cluster, app);
    await cluster.always('nothing is synced', async () => !(await hasConfigMap(cluster, 'one')), 2_000);
  });

  behaves('does not try a revision again that has failed, and says so in a condition', async (cluster) => {
    const namespace = cluster.named('missing');
    await cluster.git.commit({ app: [configMap('one')] });
    const wish = { path: 'app', automated: true, namespace, retry: { limit: 0 } };
    const app = await createApplication(cluster, 'app', wish);
    const seen = await cluster.eventually(
      'the condition is there',
      async () => {
        const now = await refresh(cluster, app);
        return now.status?.conditions?.some(({ type }) => type === 'SyncError') ? now : undefined;
      },
      60_000,
    );
    expect(seen.operation).toBeUndefined();
    expect(seen.status?.conditions?.[0]?.message).toMatch(/^Failed last sync attempt to/);
  });
});

import { expect } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type OperationOrder, operate } from '../../src/engine/operation.ts';
import { createApplication, ended, pathOf, projectPath, read, request, untilRunning, untilVerdict } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, deployment, hasConfigMap } from './objects.ts';

describeContract('somebody else', (behaves) => {
  behaves(
    'who denies manual syncs by a window keeps our operation Running, blocked; it is taken back in time',
    async (cluster) => {
      const app = await lone(cluster);
      await windows(cluster, [{ ...always, kind: 'deny', applications: [app] }]);
      const result = await operate(cluster.world, tell([]), order(app, cluster.clock.now() + 8_000), cluster.signal);
      expect(result).toMatchObject({ ended: 'timed-out', because: expect.stringContaining('blocked by sync window') });
      await cluster.eventually(
        'our operation is taken back',
        async () => (await read(cluster, app))?.operation === undefined,
      );
      expect(await hasConfigMap(cluster, 'one')).toBe(false);
    },
  );

  behaves('who takes that window away lets the waiting operation go on at the next look', async (cluster) => {
    const app = await lone(cluster);
    await windows(cluster, [{ ...always, kind: 'deny', applications: [app] }]);
    await request(cluster, app);
    await untilRunning(cluster, app, /blocked/);
    await windows(cluster, null);
    await cluster.client.mergePatch(pathOf(app), { metadata: { annotations: { 'tiphys.dev/nonce': 'again' } } });
    expect((await ended(cluster, app)).phase).toBe('Succeeded');
  });

  behaves('who takes that window away lets the engine finish what it waits for', async (cluster) => {
    const app = await lone(cluster);
    await windows(cluster, [{ ...always, kind: 'deny', applications: [app] }]);
    const told: string[] = [];
    const working = operate(cluster.world, tell(told), order(app, cluster.deadline()), cluster.signal);
    await cluster.eventually('it says that it is blocked', async () => /blocked by sync window/.test(told.join('\n')));
    await windows(cluster, null);
    expect(await working).toMatchObject({ ended: 'succeeded' });
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
  });

  behaves('whose operation is running is waited for, named, and never overridden', async (cluster) => {
    const wave = { annotations: { 'argocd.argoproj.io/sync-wave': '1' } };
    await cluster.git.commit({ app: [deployment('never', { starts: false }), configMap('one', wave)] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await request(cluster, app, { initiatedBy: { username: 'alice' }, info: [{ name: 'why', value: 'hers' }] });
    await untilRunning(cluster, app, /waiting for healthy state of apps\/Deployment\/never/);
    await cluster.eventually(
      'the watch shows it',
      async () => cluster.world.argocd.application(app)?.operation !== undefined,
    );
    const told: string[] = [];
    const result = await operate(cluster.world, tell(told), order(app, cluster.clock.now() + 2_000), cluster.signal);
    expect(result).toMatchObject({ ended: 'timed-out', because: 'an operation by alice did not finish in time' });
    expect(told).toEqual(['waits for an operation by alice to finish']);
    expect((await read(cluster, app))?.operation?.info).toEqual([{ name: 'why', value: 'hers' }]);
  });

  behaves('whose operation has ended makes room for ours', async (cluster) => {
    const wave = { annotations: { 'argocd.argoproj.io/sync-wave': '1' } };
    await cluster.git.commit({ app: [deployment('never', { starts: false }), configMap('one', wave)] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, app, 'OutOfSync Missing');
    await request(cluster, app, { initiatedBy: { username: 'alice' } });
    await untilRunning(cluster, app, /waiting for healthy state/);
    await cluster.eventually(
      'the watch shows it',
      async () => cluster.world.argocd.application(app)?.operation !== undefined,
    );
    const told: string[] = [];
    const working = operate(cluster.world, tell(told), order(app, cluster.deadline()), cluster.signal);
    await cluster.eventually('ours waits', async () => told.includes('waits for an operation by alice to finish'));
    await cluster.git.commit({ app: [configMap('one')] });
    await cluster.client.mergePatch(pathOf(app), { status: { operationState: { phase: 'Terminating' } } });
    expect(await working).toMatchObject({ ended: 'succeeded' });
    expect(await hasConfigMap(cluster, 'one')).toBe(true);
  });

  behaves('who terminates an operation ends it as Failed', async (cluster) => {
    const wave = { annotations: { 'argocd.argoproj.io/sync-wave': '1' } };
    await cluster.git.commit({ app: [deployment('never', { starts: false }), configMap('one', wave)] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await request(cluster, app);
    await untilRunning(cluster, app, /waiting for healthy state/);
    await cluster.client.mergePatch(pathOf(app), { status: { operationState: { phase: 'Terminating' } } });
    expect(await ended(cluster, app)).toMatchObject({ phase: 'Failed', message: 'Operation terminated' });
    expect(await hasConfigMap(cluster, 'one')).toBe(false);
  });

  behaves(
    'who allows syncs only at another time blocks ours, too, unless the window lets manual ones through',
    async (cluster) => {
      const app = await lone(cluster);
      // Five minutes on the 29th of February: closed whenever this runs, nearly.
      const closed = { kind: 'allow', schedule: '0 3 29 2 *', duration: '5m', applications: [app] };
      await windows(cluster, [closed]);
      expect(
        await operate(cluster.world, tell([]), order(app, cluster.clock.now() + 8_000), cluster.signal),
      ).toMatchObject({
        ended: 'timed-out',
        hint: `A sync window of AppProject ${cluster.project} forbids manual syncs: change it, or wait until it closes.`,
      });
      const project = await cluster.client.get<{ spec: { syncWindows: unknown } }>(projectPath(cluster.project));
      expect(project?.spec.syncWindows).toEqual([closed]);
      await windows(cluster, [{ ...closed, manualSync: true }]);
      expect(await operate(cluster.world, tell([]), order(app, cluster.deadline()), cluster.signal)).toMatchObject({
        ended: 'succeeded',
      });
    },
  );
});

const always = { schedule: '* * * * *', duration: '24h' };

async function lone(cluster: ContractCluster): Promise<string> {
  await cluster.git.commit({ app: [configMap('one')] });
  const app = await createApplication(cluster, 'app', { path: 'app' });
  await untilVerdict(cluster, app, 'OutOfSync Missing');
  await cluster.eventually('the watch shows it', async () => cluster.world.argocd.application(app) !== undefined);
  return app;
}

async function windows(cluster: ContractCluster, syncWindows: readonly object[] | null): Promise<void> {
  await cluster.client.mergePatch(projectPath(cluster.project), { spec: { syncWindows } });
}

function order(application: string, deadline: number): OperationOrder {
  return { node: 'app', application, runId: 'run', deadline };
}

/** Keeps what the engine tells while it waits. */
function tell(told: string[]): (event: { type: string } & Partial<RunEvent>) => void {
  return (event) => {
    if (event.type === 'operation-progress' && 'message' in event && event.message !== undefined)
      told.push(event.message);
  };
}

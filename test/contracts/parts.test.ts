import { expect } from 'vitest';
import { platformWith } from '../../src/core/plan/observed.fixture.ts';
import { partStep } from '../../src/engine/part-step.ts';
import { createApplication, read, refresh, untilVerdict } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath, definition } from './objects.ts';

const definitions = 'CustomResourceDefinition';

describeContract('a part', (behaves) => {
  behaves(
    'of definitions is in force when the engine calls it done, and nothing else of its app is',
    async (cluster) => {
      const namespace = cluster.named('made');
      const group = `${cluster.named('group')}.example.com`;
      const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'it' } };
      await cluster.git.commit({ app: [definition(group, 'Thing'), configMap('one'), thing] });
      const wish = { path: 'app', namespace, syncOptions: ['CreateNamespace=true'], automated: false };
      const application = await createApplication(cluster, 'app', wish);
      await untilVerdict(cluster, application, 'OutOfSync Missing');
      expect(await syncDefinitions(cluster, application)).toMatchObject({
        result: 'healthy',
        evidence: { operationPhase: 'Succeeded', resources: 1 },
      });
      // Served at once, or whoever needs the part would fail.
      await cluster.client.create(`/apis/${group}/v1/namespaces/${cluster.namespace}/things`, thing);
      expect(await cluster.client.get(configMapPath({ namespace }, 'one'))).toBeUndefined();
      expect((await read(cluster, application))?.status?.history ?? []).toEqual([]);
    },
  );

  behaves('that is Synced already is not synced again', async (cluster) => {
    const group = `${cluster.named('group')}.example.com`;
    await cluster.git.commit({ app: [definition(group, 'Thing'), configMap('one')] });
    const application = await createApplication(cluster, 'app', { path: 'app' });
    await untilVerdict(cluster, application, 'OutOfSync Missing');
    await syncDefinitions(cluster, application);
    await cluster.eventually('Argo CD has seen the definition', async () => {
      const { status } = await refresh(cluster, application);
      return status?.resources?.some((object) => object.kind === definitions && object.status === 'Synced');
    });
    const before = (await read(cluster, application))?.status?.operationState;
    expect(before?.phase).toBe('Succeeded');
    expect(await syncDefinitions(cluster, application)).toMatchObject({
      result: 'healthy',
      evidence: { sync: 'Synced' },
    });
    expect((await read(cluster, application))?.status?.operationState).toEqual(before);
  });
});

/** As a run does it that has come to `app#crds`. */
async function syncDefinitions(cluster: ContractCluster, application: string): ReturnType<typeof partStep> {
  const { apps, environment } = platformWith(
    `  one: { apps: { app: { application: ${application}, parts: { crds: { kinds: [${definitions}] } } } } }`,
  );
  const app = apps.get('app')!;
  const part = app.parts.get('crds')!;
  await cluster.eventually(
    'the watch shows it',
    async () => cluster.world.argocd.application(application) !== undefined,
  );
  const order = { node: 'app#crds', app, part, environment, runId: 'run', parents: nobody, again: false };
  return partStep(cluster.world, () => undefined, { ...order, deadline: cluster.deadline() }, cluster.signal);
}

/** The Application is there. */
const nobody = {
  ensure: async (): Promise<undefined> => undefined,
  foresee: async (): Promise<void> => undefined,
  settled: async (): Promise<void> => undefined,
};

import { expect } from 'vitest';
import { application, createApplication, read, refresh, sync, untilVerdict } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { installHealthChecks } from './health-checks.ts';
import { deployment, deploymentPath } from './objects.ts';

const settings = '/api/v1/namespaces/argocd/configmaps/argocd-cm';
const checkFor = (kind: string): string => `resource.customizations.health.${kind}`;

// These change what all others rely on: on a testbed they run when the others are over, one at a time.
describeContract('a change of the health checks', (behaves) => {
  behaves('to none for Applications makes a parent Healthy whatever its children are', async (cluster) => {
    const child = cluster.named('child');
    await cluster.git.commit({
      parent: [application(cluster, child, { path: 'child' })],
      child: [deployment('web', { starts: false })],
    });
    const parent = await createApplication(cluster, 'parent', { path: 'parent' });
    await sync(cluster, parent);
    await untilVerdict(cluster, child, 'OutOfSync Missing');
    await sync(cluster, child);
    await untilVerdict(cluster, child, 'Synced Progressing');
    await untilVerdict(cluster, parent, 'Synced Progressing');
    await withChecks(cluster, { 'argoproj.io_Application': null }, async () => {
      await cluster.eventually('a comparison shows it', async () => {
        return (await refresh(cluster, parent)).status?.health?.status === 'Healthy';
      });
    });
  });

  behaves('leaves Argo CD blind for what changes, until each Application is compared again', async (cluster) => {
    await cluster.git.commit({ app: [deployment('web')] });
    const app = await createApplication(cluster, 'app', { path: 'app' });
    await sync(cluster, app);
    await untilVerdict(cluster, app, 'Synced Healthy');
    await withChecks(cluster, { 'example.com_Thing': 'return {}' }, async () => {
      await cluster.client.mergePatch(deploymentPath(cluster, 'web'), { spec: { paused: true } });
      const isBlind = async (): Promise<boolean> => (await read(cluster, app))?.status?.health?.status === 'Healthy';
      await cluster.always('the change goes unnoticed', isBlind, 5_000);
      expect((await refresh(cluster, app)).status?.health?.status).toBe('Suspended');
    });
  });
});

/** With these changed, and afterwards as all other cases expect them. */
async function withChecks(
  { client }: ContractCluster,
  checks: Readonly<Record<string, string | null>>,
  work: () => Promise<void>,
): Promise<void> {
  const keys = Object.keys(checks);
  const data = Object.fromEntries(keys.map((kind) => [checkFor(kind), checks[kind]]));
  await client.mergePatch(settings, { data });
  try {
    await work();
  } finally {
    await client.mergePatch(settings, { data: Object.fromEntries(keys.map((kind) => [checkFor(kind), null])) });
    await installHealthChecks(client);
  }
}

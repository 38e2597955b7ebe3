import { expect } from 'vitest';
import { ownVerdict } from '../../src/core/health/own-verdict.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type HealthState, healthStates } from '../lua/health-states.ts';
import { createApplication, refresh, type SeenApplication, sync, untilRefreshed } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { scriptedKinds } from './health-checks.ts';
import { inTurns } from './in-turns.ts';
import { serve } from './objects.ts';

// What is being deleted Argo CD calls Progressing before it asks any script; where a verdict needs a second object, no script can give it.
const states = healthStates().filter(
  ({ object, companion }) => companion === undefined && !('deletionTimestamp' in (object as KubeObject).metadata),
);

describeContract('a health check from argocd-cm', (behaves) => {
  for (const groupKind of scriptedKinds().filter((kind) => kind !== 'argoproj.io/Application')) {
    behaves(`says of every ${groupKind} on file what we say ourselves (INV-7)`, async (cluster) => {
      const own = states.filter((state) => state.groupKind === groupKind);
      expect(own.length).toBeGreaterThan(4);
      const { app, path } = await withObject(cluster, own[0]!.object as KubeObject);
      for (const state of inTurns(own, ({ status }) => status)) {
        const live = await turnInto(cluster, path, state.object as KubeObject);
        expect(ownVerdict(live, { cephWarn: 'wait' })?.status, state.file).toBe(state.status);
        await untilHealth(cluster, app, state);
      }
    });
  }
});

describeContract('a kind without a check', (behaves) => {
  behaves('never spoils the health of its Application, whatever it says of itself', async (cluster) => {
    const bad = states.find(({ object, status }) => (object as KubeObject).kind === 'Vault' && status !== 'healthy')!;
    const { app, path } = await withObject(cluster, bad.object as KubeObject);
    const live = await turnInto(cluster, path, bad.object as KubeObject);
    expect(ownVerdict(live)?.status).not.toBe('healthy');
    await untilRefreshed(cluster, app, 'Synced Healthy');
  });
});

/** An Application with one object of this kind, whose definition is there. */
async function withObject(cluster: ContractCluster, { apiVersion, kind }: KubeObject) {
  await serve(cluster, { apiVersion, kind });
  const name = cluster.named('it');
  const folder = kind.toLowerCase();
  await cluster.git.commit({ [folder]: [{ apiVersion, kind, metadata: { name } }] });
  const app = await createApplication(cluster, folder, { path: folder });
  const path = `/apis/${apiVersion}/namespaces/${cluster.namespace}/${folder}s/${name}`;
  const { phase, message } = await sync(cluster, app);
  expect(phase, message).toBe('Succeeded');
  return { app, path };
}

/** Makes the live object say what the one on file says; generations are the server's, so those in the status are moved along. */
async function turnInto(cluster: ContractCluster, path: string, wanted: KubeObject): Promise<unknown> {
  const { client } = cluster;
  const { spec: _old, status: _gone, ...rest } = (await client.get<KubeObject>(path))!;
  const spec = wanted['spec'] === undefined ? {} : { spec: wanted['spec'] };
  const { metadata } = await client.replace<KubeObject>(path, { ...rest, ...spec });
  const shift = (metadata.generation ?? 1) - (wanted.metadata.generation ?? 1);
  const status = wanted['status'] === undefined ? {} : { status: moved(wanted['status'], shift) };
  return client.replace(`${path}/status`, { ...rest, ...spec, metadata, ...status });
}

function moved(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'observedGeneration' && typeof inner === 'number' ? inner + by : moved(inner, by),
    ]),
  );
}

async function untilHealth(cluster: ContractCluster, app: string, { file, status }: HealthState): Promise<void> {
  let last: SeenApplication | undefined;
  const isSo = async (): Promise<boolean> => {
    last = await refresh(cluster, app);
    return last.status?.health?.status?.toLowerCase() === status;
  };
  await cluster.eventually(`Argo CD says ${status} of ${file}`, isSo).catch((error: Error) => {
    throw new Error(`${error.message}; it says ${last?.status?.health?.status}`, { cause: error });
  });
}

import { expect } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { application, createApplication, nudging, read, refresh, sync, untilVerdict, verdict } from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, hasConfigMap } from './objects.ts';

const sets = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets';

describeContract('an ApplicationSet', (behaves) => {
  behaves('makes its Applications at once; those that are held by name wait for their turn', async (cluster) => {
    const { parent, set, children } = await heldParentOfSet(cluster);
    const listed = (await untilVerdict(cluster, parent, 'OutOfSync Missing')).status?.resources;
    expect(listed?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([`ApplicationSet ${set}`]);
    expect((await sync(cluster, parent)).phase).toBe('Succeeded');
    for (const child of children) await untilVerdict(cluster, child, 'OutOfSync Missing');
    for (const child of children) await refresh(cluster, child);
    await cluster.always('they wait', async () => !(await hasConfigMap(cluster, 'k1')), 2_000);
    const [first = '', second = ''] = children;
    expect((await sync(cluster, first)).phase).toBe('Succeeded');
    await untilVerdict(cluster, first, 'Synced Healthy');
    expect(verdict(await read(cluster, second))).toBe('OutOfSync Missing');
  });

  behaves(
    'owns what it makes: its end is theirs, and with the finalizer it gives them that of their objects',
    async (cluster) => {
      const { set, children, first } = await setWithFirstSynced(cluster);
      const seen = await cluster.client.get(`/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/${first}`);
      expect(seen).toMatchObject({
        metadata: {
          ownerReferences: [{ kind: 'ApplicationSet', name: set, controller: true, blockOwnerDeletion: true }],
          finalizers: ['resources-finalizer.argocd.argoproj.io'],
        },
      });
      await cluster.client.delete(`${sets}/${set}`);
      for (const child of children) {
        await cluster.eventually(`${child} is gone`, async () => (await read(cluster, child)) === undefined);
      }
      expect(await hasConfigMap(cluster, 'k1')).toBe(false);
    },
  );

  behaves(
    'that the engine dissolves leaves its Applications, and all they have brought, to nobody',
    async (cluster) => {
      const { set, children } = await setWithFirstSynced(cluster);
      const { argocd } = cluster.world;
      for (const child of children)
        await cluster.eventually('the watch shows whose it is', async () => argocd.application(child)?.madeBy === set);
      await argocd.dissolve(set, children, cluster.signal);
      const isWhole = async (): Promise<boolean> => {
        const seen = await Promise.all(children.map((child) => read(cluster, child)));
        const isLeft = seen.every((child) => child !== undefined && child.metadata.deletionTimestamp === undefined);
        return isLeft && (await hasConfigMap(cluster, 'k1'));
      };
      expect(children.map((child) => argocd.application(child)?.madeBy)).toEqual([undefined, undefined]);
      // The garbage collector lets the Applications go first, then the set.
      await cluster.eventually(
        'the set is gone',
        async () => (await cluster.client.get(`${sets}/${set}`)) === undefined,
      );
      await cluster.always('they stay', isWhole, 2_000);
    },
  );

  behaves('brings back an Application that somebody deletes: it must go first', async (cluster) => {
    const { parent, set, children } = await heldParentOfSet(cluster);
    await sync(cluster, parent);
    const [first = ''] = children;
    const { uid } = (await untilVerdict(cluster, first, 'OutOfSync Missing')).metadata;
    await cluster.client.delete(`/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/${first}`);
    // The controller may have looked before it heard of the deletion, and looks by itself only every three minutes.
    const nudge = nudging(cluster, `${sets}/${set}`);
    await cluster.eventually('another one is there', async () => {
      const seen = await read(cluster, first);
      if (seen !== undefined && seen.metadata.uid !== uid) return true;
      await nudge();
      return false;
    });
  });
});

/** A held parent with one ApplicationSet, whose two self-healing Applications are held by the names they will have. */
async function heldParentOfSet(
  cluster: ContractCluster,
): Promise<{ parent: string; set: string; children: readonly string[] }> {
  const names = ['k1', 'k2'];
  const children = names.map(cluster.named);
  const set = cluster.named('set');
  const manifest = applicationSet(cluster, set, names);
  const content = Object.fromEntries(names.map((name) => [name, [configMap(name)]]));
  await cluster.git.commit({ parent: [manifest], ...content });
  await cluster.world.argocd.hold(cluster.project, [cluster.named('parent'), ...children], cluster.signal);
  const parent = await createApplication(cluster, 'parent', { path: 'parent', automated: true });
  return { parent, set, children };
}

/** The same, with the first of its Applications synced. */
async function setWithFirstSynced(
  cluster: ContractCluster,
): Promise<{ set: string; children: readonly string[]; first: string }> {
  const { parent, set, children } = await heldParentOfSet(cluster);
  await sync(cluster, parent);
  const [first = ''] = children;
  await untilVerdict(cluster, first, 'OutOfSync Missing');
  await sync(cluster, first);
  // What is deleted before the controller's cache knows its objects leaves them behind.
  await untilVerdict(cluster, first, 'Synced Healthy');
  return { set, children, first };
}

function applicationSet(cluster: ContractCluster, name: string, paths: readonly string[]): KubeObject {
  const { spec } = application(cluster, 'any', { path: '{{path}}', automated: true });
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: 'argocd' },
    spec: {
      generators: [{ list: { elements: paths.map((path) => ({ path })) } }],
      template: { metadata: { name: cluster.named('{{path}}') }, spec },
    },
  };
}

import { expect } from 'vitest';
import { createChildren, waitForChild } from '../../src/engine/create-children.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import {
  application,
  createApplication,
  ended,
  pathOf,
  read,
  refresh,
  request,
  sync,
  untilRefreshed,
  untilRunning,
  untilVerdict,
} from './argo.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, hasConfigMap } from './objects.ts';

describeContract('a parent of Applications', (behaves) => {
  behaves('lists its children before they exist, each without a health', async (cluster) => {
    const { parent, children } = await heldParent(cluster);
    const seen = await untilVerdict(cluster, parent, 'OutOfSync Missing');
    const listed = seen.status?.resources?.map(({ kind, name, status }) => `${kind} ${name} ${status}`);
    expect(listed).toEqual(children.map((name) => `Application ${name} OutOfSync`));
  });

  behaves(
    'is compared without being asked when it is new, and its first record lists its children',
    async (cluster) => {
      const { parent, children } = await heldParent(cluster);
      const first = await cluster.eventually('it has a record', async () => {
        const seen = cluster.world.argocd.application(parent);
        return seen?.reconciledAt === undefined ? undefined : seen;
      });
      const listed = first.resources.map(({ name, sync: status }) => `${name} ${status}`);
      expect(listed).toEqual(children.map((name) => `${name} OutOfSync`));
      expect((first.reconciledAt ?? '') >= (first.createdAt ?? 'unknown')).toBe(true);
    },
  );

  behaves(
    'creates exactly the child that a selective sync names, and stays OutOfSync for the others',
    async (cluster) => {
      const { parent, children } = await heldParent(cluster);
      await untilVerdict(cluster, parent, 'OutOfSync Missing');
      const [first = '', second = ''] = children;
      expect((await sync(cluster, parent, { sync: { resources: named([second]) } })).phase).toBe('Succeeded');
      await untilVerdict(cluster, second, 'OutOfSync Missing');
      expect(await read(cluster, first)).toBeUndefined();
      // What has just been created may not have reached the controller yet.
      await cluster.eventually('exactly that one is Synced', async () => {
        const statuses = (await refresh(cluster, parent)).status?.resources?.map(({ status }) => status);
        return statuses?.join() === 'OutOfSync,Synced,OutOfSync';
      });
    },
  );

  behaves(
    'creates the children that the engine asks for in one operation, and they wait under the hold',
    async (cluster) => {
      const { parent, children } = await heldParent(cluster);
      const { world, signal } = cluster;
      const deadline = cluster.deadline();
      await cluster.eventually('the watch shows it', async () => world.argocd.application(parent) !== undefined);
      const order = { parent, children: children.slice(1), runId: 'run', deadline };
      expect(await createChildren(world, () => undefined, order, signal)).toEqual(new Map());
      for (const child of order.children) {
        expect(await waitForChild(world, { parent, child, deadline }, signal)).toBeUndefined();
      }
      expect(await read(cluster, children[0] ?? '')).toBeUndefined();
      for (const child of order.children) await untilVerdict(cluster, child, 'OutOfSync Missing');
      await cluster.always('the children wait', async () => !(await hasConfigMap(cluster, 'k2')), 2_000);
    },
  );

  behaves(
    'waits, in an operation for several sync waves, for the health of what is held; one for a wave alone is over at once',
    async (cluster) => {
      const waves = { k2: '-30', k3: '50' };
      const { parent, children } = await heldParent(cluster, waves);
      const [, early = '', late = ''] = children;
      const seen = await untilVerdict(cluster, parent, 'OutOfSync Missing');
      const listed = seen.status?.resources?.map(({ name, syncWave }) => [name, syncWave]);
      expect(listed).toEqual([
        [children[0], undefined],
        [early, -30],
        [late, 50],
      ]);
      await request(cluster, parent, { sync: { resources: named(children) } });
      await untilRunning(cluster, parent, new RegExp(`waiting for healthy state of argoproj.io/Application/${early}`));
      await cluster.always('nothing of the next wave appears', async () => !(await read(cluster, late)), 2_000);
      await cluster.client.mergePatch(pathOf(parent), { status: { operationState: { phase: 'Terminating' } } });
      await ended(cluster, parent);
      for (const child of [late, early])
        expect((await sync(cluster, parent, { sync: { resources: named([child]) } })).phase).toBe('Succeeded');
      await untilVerdict(cluster, late, 'OutOfSync Missing');
    },
  );

  behaves('has children of several sync waves made by the engine in an operation for each', async (cluster) => {
    const { parent, children } = await heldParent(cluster, { k1: '50', k2: '-30' });
    const { world, signal } = cluster;
    await untilVerdict(cluster, parent, 'OutOfSync Missing');
    const order = { parent, children, runId: 'run', deadline: cluster.deadline() };
    expect(await createChildren(world, () => undefined, order, signal)).toEqual(new Map());
    for (const child of children) await untilVerdict(cluster, child, 'OutOfSync Missing');
  });

  behaves(
    'under the hold does not bring back a child that was deleted; released and refreshed it does',
    async (cluster) => {
      const { parent, children } = await heldParent(cluster);
      const [child = ''] = children;
      await sync(cluster, parent);
      await untilVerdict(cluster, child, 'OutOfSync Missing');
      await cluster.client.delete(pathOf(child));
      const isAway = async (): Promise<boolean> => (await read(cluster, child)) === undefined;
      await cluster.eventually('the child is gone', isAway);
      await refresh(cluster, parent);
      await cluster.always('the child stays away', isAway, 3_000);
      await cluster.world.argocd.hold(cluster.project, children, signalOf(cluster));
      await refresh(cluster, parent);
      await cluster.eventually('the child is back', async () => !(await isAway()));
    },
  );

  behaves(
    'under the hold leaves a child as it is when Git has another path for it; a selective sync changes it, and it waits',
    async (cluster) => {
      const { parent, children } = await heldParent(cluster);
      const [child = ''] = children;
      await sync(cluster, parent);
      await untilVerdict(cluster, child, 'OutOfSync Missing');
      const moved = application(cluster, child, { path: 'moved', automated: true });
      await cluster.git.commit({ moved: [configMap('moved')], parent: [moved] });
      await cluster.eventually('the parent sees it', async () => {
        const listed = (await refresh(cluster, parent)).status?.resources ?? [];
        return listed.find(({ name }) => name === child)?.status === 'OutOfSync';
      });
      const path = async (): Promise<unknown> => (await cluster.client.get<Sourced>(pathOf(child)))?.spec.source.path;
      await cluster.always('the child is as it was', async () => (await path()) === 'k1', 2_000);
      expect((await sync(cluster, parent, { sync: { resources: named([child]) } })).phase).toBe('Succeeded');
      expect(await path()).toBe('moved');
      await refresh(cluster, child);
      await cluster.always('it waits', async () => !(await hasConfigMap(cluster, 'moved')), 2_000);
      expect((await sync(cluster, child)).phase).toBe('Succeeded');
      expect(await hasConfigMap(cluster, 'moved')).toBe(true);
    },
  );

  behaves(
    'heals a window away from an AppProject whose windows stand in Git, unless it is held itself',
    async (cluster) => {
      const { parent, isHeld } = await projectInGit(cluster, { syncWindows: [ownWindow] });
      await untilRefreshed(cluster, parent, 'OutOfSync Healthy');
      await cluster.always('the window stays while the parent is held', isHeld, 2_000);
      await cluster.world.argocd.hold(cluster.project, [], signalOf(cluster));
      await refresh(cluster, parent);
      await cluster.eventually('the window is healed away', async () => !(await isHeld()));
    },
  );

  behaves('does not see a window in an AppProject of whose windows Git says nothing, held or not', async (cluster) => {
    const { parent, isHeld } = await projectInGit(cluster, {});
    await untilRefreshed(cluster, parent, 'Synced Healthy');
    await cluster.world.argocd.hold(cluster.project, [], signalOf(cluster));
    await untilRefreshed(cluster, parent, 'Synced Healthy');
    expect(await isHeld()).toBe(true);
  });
});

/** A held, self-healing parent of an AppProject, in which a window of ours stands. */
async function projectInGit(cluster: ContractCluster, more: object) {
  const name = cluster.named('own');
  const spec = { ...projectManifest.spec, ...more };
  await cluster.git.commit({ parent: [{ ...projectManifest, metadata: { name, namespace: 'argocd' }, spec }] });
  const parent = cluster.named('parent');
  await cluster.world.argocd.hold(cluster.project, [parent], signalOf(cluster));
  await createApplication(cluster, 'parent', { path: 'parent', automated: true });
  await sync(cluster, parent);
  await cluster.world.argocd.hold(name, ['somebody'], signalOf(cluster));
  const isHeld = async (): Promise<boolean> => {
    const projects = await cluster.world.argocd.projects(signalOf(cluster));
    return projects.some((project) => project.name === name && project.held.length > 0);
  };
  return { parent, isHeld };
}

/** Somebody's own, of a platform that knows windows already. */
const ownWindow = { kind: 'allow', schedule: '0 3 * * *', duration: '1h', applications: ['nightly'] };

interface Sourced {
  readonly spec: { readonly source: { readonly path: string } };
}

const signalOf = (cluster: ContractCluster): AbortSignal => cluster.signal;

const projectManifest = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
};

function named(children: readonly string[]): object[] {
  return children.map((name) => ({ group: 'argoproj.io', kind: 'Application', name, namespace: 'argocd' }));
}

/** A self-healing parent of three self-healing children, all of them held; some may stand in a sync wave. */
async function heldParent(
  cluster: ContractCluster,
  waves: Readonly<Record<string, string>> = {},
): Promise<{ parent: string; children: string[] }> {
  const names = ['k1', 'k2', 'k3'];
  const children = names.map(cluster.named);
  const manifests = names.map((path) =>
    inWave(application(cluster, cluster.named(path), { path, automated: true }), waves[path]),
  );
  const content = Object.fromEntries(names.map((name) => [name, [configMap(name)]]));
  await cluster.git.commit({ ...content, parent: manifests });
  const parent = cluster.named('parent');
  await cluster.world.argocd.hold(cluster.project, [parent, ...children], cluster.signal);
  await createApplication(cluster, 'parent', { path: 'parent', automated: true });
  return { parent, children };
}

function inWave(manifest: KubeObject, wave: string | undefined): KubeObject {
  if (wave === undefined) return manifest;
  const annotations = { 'argocd.argoproj.io/sync-wave': wave };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

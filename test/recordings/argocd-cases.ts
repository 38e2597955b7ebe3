import { statusIn as workloadStatusIn } from '../../src/sandbox/world/workload-status.ts';
import { configMap } from './argocd-content.ts';
import { applications, type CaseSetting, type Player, projects } from './argocd-replay.ts';

const always = (ms: number) => (): number => ms;

/** One delay after the other; the last one stays. */
const inTurn = (...all: number[]) => (): number => (all.length > 1 ? (all.shift() ?? 0) : (all[0] ?? 0));

const forApp =
  (delays: Readonly<Record<string, () => number>>, otherwise: number) =>
  (application: string): number =>
    (delays[application] ?? always(otherwise))();

const window = (names: readonly string[]) => ({
  spec: {
    syncWindows: [
      { kind: 'deny', schedule: '* * * * *', duration: '24h', applications: names, manualSync: true },
    ],
  },
});

const hold =
  (...names: string[]) =>
  ({ request }: Player): Promise<void> =>
    request('PATCH', `${projects}/default`, window(names));

const release = ({ request }: Player): Promise<void> =>
  request('PATCH', `${projects}/default`, { spec: { syncWindows: null } });

const project = (name: string, spec: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: { sourceRepos: ['*'], ...spec },
});

const live = '/apis/apps/v1/namespaces/rec/deployments';
const configMaps = '/api/v1/namespaces/rec/configmaps';

const ceph =
  (phase: string, health: string) =>
  ({ request }: Player): Promise<void> =>
    request('PATCH', '/apis/ceph.rook.io/v1/namespaces/rec/cephclusters/ceph/status', {
      status: { phase, ceph: { health } },
    });

const terminate =
  (name: string) =>
  ({ request }: Player): Promise<void> =>
    request('PATCH', `${applications}/${name}`, { status: { operationState: { phase: 'Terminating' } } });

/** What the Deployment says of itself when it is ready, at the generation it has now. */
function statusIn({ store, types }: Player['sandbox'], name: string, state: string): object | undefined {
  const type = types.byKind('apps/v1', 'Deployment');
  const object = type === undefined ? undefined : store.get(type, 'rec', name);
  return object === undefined ? undefined : workloadStatusIn(object, state);
}

/**
 * The delays of that day, where the order of two states hangs on them, and the deeds that are not a plain request.
 * In most cases the delays say only when the operation finished, so that the client's next step meets the same state.
 */
export const caseSettings: Readonly<Record<string, CaseSetting>> = {
  // The cache is so late that even the refresh that takes the annotation writes the old verdict.
  'manual-sync': { timing: { apply: always(120), finish: always(45), cacheLag: always(130) }, readyMs: 180 },
  'second-sync-no-change': {
    timing: { apply: always(100), cacheLag: always(72), finish: always(70) },
    readyMs: 130,
    does: { again: async () => {} },
  },
  'slow-workload': {
    states: [],
    does: {
      'node selector removed on the live Deployment': async ({ request, time, sandbox }) => {
        await request('PATCH', `${live}/slow`, { spec: { template: { spec: { nodeSelector: null } } } });
        await time.run(time.sleep(100));
        const status = statusIn(sandbox, 'slow', 'ready');
        await request('PATCH', `${live}/slow/status`, { status });
      },
    },
  },
  waves: { timing: { finish: always(187), cacheLag: inTurn(150, 60, 60, 215) } },
  'wave-stuck': { states: [] },
  'sync-fails': { timing: { finish: always(65), cacheLag: always(110) } },
  'sync-fails-retry': { timing: { finish: always(65), cacheLag: always(60) } },
  'destination-not-permitted': {
    prepare: ({ request }) =>
      request('POST', projects, project('rec-narrow', { destinations: [{ server: '*', namespace: 'elsewhere' }] })),
  },
  'cluster-resource-not-permitted': {
    prepare: ({ request }) =>
      request('POST', projects, project('rec-nocluster', { destinations: [{ server: '*', namespace: '*' }] })),
  },
  'auto-sync': {
    timing: { statusPatch: inTurn(17, 6), cacheLag: inTurn(70, 50) },
    does: {
      'ConfigMap drift edited by hand': ({ request }) =>
        request('PATCH', `${configMaps}/drift`, { data: { value: 'by hand' } }),
      'ConfigMap drift deleted by hand': ({ request }) => request('DELETE', `${configMaps}/drift`),
    },
  },
  'hold-and-release': {
    timing: { finish: forApp({ 'rec-held1': always(106) }, 40), cacheLag: forApp({ 'rec-held1': always(122) }, 60), refreshAfterOperation: forApp({ 'rec-held1': always(0) }, 10) },
    readyMs: 200,
    does: { 'deny window for rec-held*': hold('rec-held*'), 'window removed': release },
  },
  'automated-operation-under-hold': { prepare: hold('rec-held*') },
  'someone-elses-operation': {
    states: [],
    does: {
      'merge-patch with a stale resourceVersion answers 409': async () => {},
      'overwriting a running operation with another': async (player) => {
        await player.request('PATCH', `${applications}/rec-busy`, {
          operation: { initiatedBy: { username: 'other' }, info: [{ name: 'x', value: '2' }], sync: {} },
        });
        await player.time.run(player.time.sleep(3006));
        await terminate('rec-busy')(player);
      },
    },
  },
  prune: {
    timing: { finish: inTurn(40, 40, 110) },
    does: {
      'p-b removed from Git': async ({ sandbox }) => {
        sandbox.world.git.commit(new Map([['prune', [configMap('p-a')]]]));
      },
    },
  },
  'new-revision': {
    // A comparison that began after the commit but before our annotation shows the new revision and leaves the annotation.
    timing: { cacheLag: always(30), refreshQueue: inTurn(4, 18, 4) },
    does: {
      'two changed in Git': async ({ sandbox, time }) => {
        sandbox.world.git.commit(new Map([['two', [configMap('two', { value: '2' })]]]));
        await time.run(time.sleep(12));
      },
    },
  },
  'app-of-apps': {
    timing: {
      comparison: forApp({ 'rec-k1': inTurn(82, 9), 'rec-k3': inTurn(76, 9) }, 9),
      cacheLag: forApp({ 'rec-k1': always(35), 'rec-k2': always(20) }, 60),
      finish: forApp({ 'rec-k2': always(28) }, 40),
    },
    prepare: async (player) => {
      await hold('rec-parent', 'rec-k*')(player);
      // The check for nested Applications was installed when this was recorded.
      await player.request('PATCH', '/api/v1/namespaces/argocd/configmaps/argocd-cm', {
        data: { 'resource.customizations.health.argoproj.io_Application': '-- as documented' },
      });
    },
    does: {
      'rec-k2 deleted without finalizer': ({ request }) => request('DELETE', `${applications}/rec-k2`),
      'windows removed': release,
    },
  },
  'delete-with-finalizer': {
    timing: { nextObject: always(70), cacheLag: always(60) },
    readyMs: 10,
    does: { DELETE: ({ request }) => request('DELETE', `${applications}/rec-del`) },
  },
  'delete-stuck': {
    does: {
      DELETE: ({ request }) => request('DELETE', `${applications}/rec-stuck`),
      'foreign finalizer removed': ({ request }) =>
        request('PATCH', `${configMaps}/f`, { metadata: { finalizers: null } }),
    },
  },
  'presync-stuck': { states: [], does: { terminated: terminate('rec-prestuck') } },
  'multi-source': { timing: { apply: always(100), nextObject: always(40), finish: always(26), cacheLag: always(75) }, readyMs: 10 },
  degraded: { states: [{ atMs: 3200, state: 'degraded' }] },
  suspended: { timing: { apply: always(40), finish: always(15), cacheLag: always(12) } },
  'create-namespace': { timing: { finish: always(88), cacheLag: always(90) } },
  'ceph-health': {
    timing: { apply: always(30), finish: always(8), cacheLag: always(60) },
    states: [],
    does: {
      'CephCluster status: phase Progressing, ceph.health HEALTH_WARN': ceph('Progressing', 'HEALTH_WARN'),
      'CephCluster status: phase Ready, ceph.health HEALTH_WARN': ceph('Ready', 'HEALTH_WARN'),
      'CephCluster status: phase Ready, ceph.health HEALTH_OK': ceph('Ready', 'HEALTH_OK'),
      'CephCluster status: phase Ready, ceph.health HEALTH_ERR': ceph('Ready', 'HEALTH_ERR'),
    },
  },
};

import { configMap } from './argocd-content.ts';
import { applications, type CaseSetting, type Player, projects } from './argocd-replay.ts';

const always = (ms: number) => (): number => ms;

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

const never: CaseSetting = { states: [] };

/** The delays and the deeds of each recorded case that are not the usual ones. */
export const caseSettings: Readonly<Record<string, CaseSetting>> = {
  'second-sync-no-change': { does: { again: async () => {} } },
  'slow-workload': {
    states: [],
    does: {
      'node selector removed on the live Deployment': async ({ request }) =>
        request('PATCH', `${live}/slow`, { spec: { template: { spec: { nodeSelector: null } } } }),
    },
  },
  'wave-stuck': never,
  'missing-project': {},
  'destination-not-permitted': {
    prepare: ({ request }) =>
      request('POST', projects, project('rec-narrow', { destinations: [{ server: '*', namespace: 'elsewhere' }] })),
  },
  'cluster-resource-not-permitted': {
    prepare: ({ request }) =>
      request('POST', projects, project('rec-nocluster', { destinations: [{ server: '*', namespace: '*' }] })),
  },
  'auto-sync': {
    does: {
      'ConfigMap drift edited by hand': ({ request }) =>
        request('PATCH', `${configMaps}/drift`, { data: { value: 'by hand' } }),
      'ConfigMap drift deleted by hand': ({ request }) => request('DELETE', `${configMaps}/drift`),
    },
  },
  'hold-and-release': {
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
    does: {
      'p-b removed from Git': async ({ sandbox }) => {
        sandbox.world.git.commit(new Map([['prune', [configMap('p-a')]]]));
      },
    },
  },
  'new-revision': {
    does: {
      'two changed in Git': async ({ sandbox }) => {
        sandbox.world.git.commit(new Map([['two', [configMap('two', { value: '2' })]]]));
      },
    },
  },
  'app-of-apps': {
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
  'delete-with-finalizer': { does: { DELETE: ({ request }) => request('DELETE', `${applications}/rec-del`) } },
  'delete-stuck': {
    does: {
      DELETE: ({ request }) => request('DELETE', `${applications}/rec-stuck`),
      'foreign finalizer removed': ({ request }) =>
        request('PATCH', `${configMaps}/f`, { metadata: { finalizers: null } }),
    },
  },
  'presync-stuck': { states: [], does: { terminated: terminate('rec-prestuck') } },
  'postsync-hook': { timing: { cacheLag: always(40) } },
  'ceph-health': {
    states: [],
    does: {
      'CephCluster status: phase Progressing, ceph.health HEALTH_WARN': ceph('Progressing', 'HEALTH_WARN'),
      'CephCluster status: phase Ready, ceph.health HEALTH_WARN': ceph('Ready', 'HEALTH_WARN'),
      'CephCluster status: phase Ready, ceph.health HEALTH_OK': ceph('Ready', 'HEALTH_OK'),
      'CephCluster status: phase Ready, ceph.health HEALTH_ERR': ceph('Ready', 'HEALTH_ERR'),
    },
  },
  degraded: { states: [{ atMs: 3200, state: 'degraded' }] },
};

import { type KubeObject, type ResourceType, typeKey } from '../store/objects.ts';
import type { Store } from '../store/store.ts';
import type { Column } from './column.ts';
import { isDefinition } from './definitions.ts';
import { humanDuration } from './human-duration.ts';
import { printerColumns } from './printer-columns.ts';

/** The columns of a kind: of the definition for custom resources, the usual ones for built-in kinds. */
export function columnsOf(store: Store, type: ResourceType): readonly Column[] {
  if (type.custom) return [nameColumn, ...(printerColumns(store, type) ?? [age])];
  const key = typeKey(type);
  if (key === '/events') return [...(middle[key] ?? []), { ...nameColumn, priority: 1 }];
  const columns = [nameColumn, ...(middle[key] ?? [])];
  return isDefinition(type) ? columns : [...columns, age];
}

function ageOf(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name };
const age: Column = {
  name: 'Age',
  type: 'string',
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

type Loose = Readonly<Record<string, unknown>>;
const spec = (object: KubeObject): Loose => (object['spec'] ?? {}) as Loose;
const status = (object: KubeObject): Loose => (object['status'] ?? {}) as Loose;
const listOf = (value: unknown): readonly Loose[] => (Array.isArray(value) ? (value as Loose[]) : []);
const sizeOf = (value: unknown): number => Object.keys(value ?? {}).length;
const text = (name: string, cell: (object: KubeObject, now: number) => unknown): Column => ({
  name,
  type: 'string',
  cell,
});
const ready = (of: string, wanted: string) =>
  text('Ready', (object) => `${status(object)[of] ?? 0}/${spec(object)[wanted] ?? 1}`);
const count = (name: string, field: string): Column => ({
  name,
  type: 'integer',
  cell: (object) => status(object)[field] ?? 0,
});
const data = (object: KubeObject): number => sizeOf(object['data']) + sizeOf(object['binaryData']);

const middle: Readonly<Record<string, readonly Column[]>> = {
  '/configmaps': [text('Data', data)],
  '/secrets': [text('Type', (object) => object['type'] ?? 'Opaque'), text('Data', data)],
  '/namespaces': [text('Status', (object) => status(object)['phase'] ?? 'Active')],
  '/pods': [
    text('Ready', (object) => {
      const statuses = listOf(status(object)['containerStatuses']);
      return `${statuses.filter((container) => container['ready'] === true).length}/${listOf(spec(object)['containers']).length}`;
    }),
    text('Status', (object) => podStatus(object)),
    text('Restarts', (object) =>
      String(
        listOf(status(object)['containerStatuses']).reduce(
          (sum, container) => sum + Number(container['restartCount'] ?? 0),
          0,
        ),
      ),
    ),
  ],
  '/services': [
    text('Type', (object) => spec(object)['type'] ?? 'ClusterIP'),
    text('Cluster-IP', (object) => spec(object)['clusterIP'] ?? '<none>'),
    text('External-IP', () => '<none>'),
    text(
      'Port(s)',
      (object) =>
        listOf(spec(object)['ports'])
          .map((port) => `${port['port']}/${port['protocol'] ?? 'TCP'}`)
          .join(',') || '<none>',
    ),
  ],
  '/persistentvolumeclaims': [
    text('Status', (object) => status(object)['phase'] ?? 'Pending'),
    text('Volume', (object) => spec(object)['volumeName'] ?? ''),
    text('StorageClass', (object) => spec(object)['storageClassName'] ?? ''),
  ],
  '/persistentvolumes': [
    text('Reclaim Policy', (object) => spec(object)['persistentVolumeReclaimPolicy'] ?? ''),
    text('Status', (object) => status(object)['phase'] ?? ''),
    text('StorageClass', (object) => spec(object)['storageClassName'] ?? ''),
  ],
  '/events': [
    text('Last Seen', (object, now) => ageOf(object['lastTimestamp'] ?? object.metadata.creationTimestamp, now)),
    text('Type', (object) => object['type']),
    text('Reason', (object) => object['reason']),
    text('Object', (object) => {
      const involved = (object['involvedObject'] ?? {}) as Loose;
      return `${String(involved['kind'] ?? '').toLowerCase()}/${involved['name'] ?? ''}`;
    }),
    text('Message', (object) => object['message']),
  ],
  'apps/deployments': [
    ready('readyReplicas', 'replicas'),
    count('Up-to-date', 'updatedReplicas'),
    count('Available', 'availableReplicas'),
  ],
  'apps/statefulsets': [ready('readyReplicas', 'replicas')],
  'apps/daemonsets': [
    count('Desired', 'desiredNumberScheduled'),
    count('Current', 'currentNumberScheduled'),
    count('Ready', 'numberReady'),
  ],
  'apps/replicasets': [
    { name: 'Desired', type: 'integer', cell: (object) => spec(object)['replicas'] ?? 1 },
    count('Current', 'replicas'),
    count('Ready', 'readyReplicas'),
  ],
  'batch/jobs': [
    text('Status', (object) => jobStatus(object)),
    text('Completions', (object) => `${status(object)['succeeded'] ?? 0}/${spec(object)['completions'] ?? 1}`),
  ],
  'coordination.k8s.io/leases': [text('Holder', (object) => spec(object)['holderIdentity'] ?? '')],
  'storage.k8s.io/storageclasses': [
    text('Provisioner', (object) => object['provisioner']),
    text('ReclaimPolicy', (object) => object['reclaimPolicy'] ?? 'Delete'),
  ],
  'apiextensions.k8s.io/customresourcedefinitions': [
    { name: 'Created At', type: 'date', cell: ({ metadata }) => metadata.creationTimestamp },
  ],
  'rbac.authorization.k8s.io/rolebindings': [text('Role', roleOf)],
  'rbac.authorization.k8s.io/clusterrolebindings': [text('Role', roleOf)],
};

function roleOf(object: KubeObject): string {
  const reference = (object['roleRef'] ?? {}) as Loose;
  return `${reference['kind'] ?? ''}/${reference['name'] ?? ''}`;
}

function podStatus(object: KubeObject): unknown {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const container of listOf(status(object)['containerStatuses'])) {
    const waiting = (container['state'] as { waiting?: { reason?: string } } | undefined)?.waiting;
    if (waiting?.reason !== undefined) return waiting.reason;
  }
  return status(object)['phase'] ?? 'Pending';
}

function jobStatus(object: KubeObject): string {
  const conditions = listOf(status(object)['conditions']);
  const met = (type: string): boolean =>
    conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
  if (met('Complete')) return 'Complete';
  return met('Failed') ? 'Failed' : 'Running';
}

import { groupOf, type KubeObject } from '../store/objects.ts';

/** What a workload, a claim or a custom resource says of itself in a state; undefined for kinds without a status of interest. */
export function statusIn(object: KubeObject, state: string): object | undefined {
  return writers[`${groupOf(object.apiVersion)}/${object.kind}`]?.(object, state);
}

/** `ready`, `progressing` and `degraded` mean something for every kind; other words only for the kind that uses them. */
type Writer = (object: KubeObject, state: string) => object;

const writers: Readonly<Record<string, Writer>> = {
  'apps/Deployment': deploymentStatus,
  'apps/StatefulSet': statefulSetStatus,
  'apps/DaemonSet': daemonSetStatus,
  'batch/Job': jobStatus,
  '/PersistentVolumeClaim': claimStatus,
  'ceph.rook.io/CephCluster': cephStatus,
  'acid.zalan.do/postgresql': postgresqlStatus,
  'kafka.strimzi.io/Kafka': kafkaStatus,
  'redis.redis.opstreelabs.in/RedisCluster': redisStatus,
};

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
}

function replicasOf(object: KubeObject): number {
  const { replicas } = specOf(object);
  return typeof replicas === 'number' ? replicas : 1;
}

const observed = (object: KubeObject): { observedGeneration: number } => ({
  observedGeneration: object.metadata.generation ?? 1,
});

function deploymentStatus(object: KubeObject, state: string): object {
  const replicas = replicasOf(object);
  const all = { ...observed(object), replicas, updatedReplicas: replicas };
  if (state === 'ready') {
    const conditions = [
      {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      },
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "${object.metadata.name}-1" has successfully progressed.`,
      },
    ];
    return { ...all, readyReplicas: replicas, availableReplicas: replicas, conditions };
  }
  const set = `ReplicaSet "${object.metadata.name}-1"`;
  const [status, reason, message] =
    state === 'degraded'
      ? ['False', 'ProgressDeadlineExceeded', `${set} has timed out progressing.`]
      : ['True', 'ReplicaSetUpdated', `${set} is progressing.`];
  const available = {
    type: 'Available',
    status: 'False',
    reason: 'MinimumReplicasUnavailable',
    message: 'Deployment does not have minimum availability.',
  };
  const progressing = { type: 'Progressing', status, reason, message };
  return { ...all, unavailableReplicas: replicas, conditions: [available, progressing] };
}

function statefulSetStatus(object: KubeObject, state: string): object {
  const replicas = replicasOf(object);
  const ready = state === 'ready' ? { readyReplicas: replicas, availableReplicas: replicas } : {};
  return { ...observed(object), replicas, currentReplicas: replicas, updatedReplicas: replicas, ...ready };
}

function daemonSetStatus(object: KubeObject, state: string): object {
  const available = state === 'ready' ? 1 : 0;
  return {
    ...observed(object),
    currentNumberScheduled: 1,
    desiredNumberScheduled: 1,
    updatedNumberScheduled: 1,
    numberReady: available,
    numberAvailable: available,
  };
}

function jobStatus(_object: KubeObject, state: string): object {
  if (state === 'progressing') return { active: 1 };
  const [type, count] = state === 'ready' ? ['Complete', { succeeded: 1 }] : ['Failed', { failed: 1 }];
  return { ...count, conditions: [{ type, status: 'True' }] };
}

function claimStatus(object: KubeObject, state: string): object {
  if (state === 'degraded') return { phase: 'Lost' };
  const { accessModes } = specOf(object);
  return state === 'ready' ? { phase: 'Bound', accessModes, capacity: { storage: '10Gi' } } : { phase: 'Pending' };
}

function cephStatus(object: KubeObject, state: string): object {
  const health: Readonly<Record<string, string>> = { ready: 'HEALTH_OK', degraded: 'HEALTH_ERR' };
  const ceph = health[state] ?? (state.startsWith('HEALTH_') ? state : undefined);
  if (ceph === undefined) return { ...observed(object), phase: 'Progressing', message: 'Configuring Ceph Mons' };
  const details = cephDetails[ceph];
  return {
    ...observed(object),
    phase: 'Ready',
    message: 'Cluster created successfully',
    ceph: { health: ceph, ...(details === undefined ? {} : { details }) },
  };
}

const cephDetails: Readonly<Record<string, object>> = {
  HEALTH_WARN: { TOO_FEW_OSDS: { severity: 'HEALTH_WARN', message: 'OSD count 2 < osd_pool_default_size 3' } },
  HEALTH_ERR: { OSD_FULL: { severity: 'HEALTH_ERR', message: '1 full osd(s)' } },
};

function postgresqlStatus(object: KubeObject, state: string): object {
  const words: Readonly<Record<string, string>> = {
    ready: 'Running',
    degraded: 'CreateFailed',
    progressing: 'Creating',
  };
  const word = words[state] ?? state;
  const { numberOfInstances } = specOf(object);
  return {
    ...observed(object),
    PostgresClusterStatus: word,
    ...(word === 'Running' ? { numberOfInstances } : {}),
  };
}

function kafkaStatus(object: KubeObject, state: string): object {
  if (state === 'ready') return { ...observed(object), conditions: [{ type: 'Ready', status: 'True' }] };
  const reason = state === 'degraded' ? 'FatalProblem' : 'Creating';
  const message = state === 'degraded' ? 'Pod kafka-0 cannot be updated' : 'Kafka cluster is being deployed';
  return { ...observed(object), conditions: [{ type: 'NotReady', status: 'True', reason, message }] };
}

function redisStatus(object: KubeObject, state: string): object {
  const words: Readonly<Record<string, string>> = { ready: 'Ready', degraded: 'Failed', progressing: 'Initializing' };
  const { clusterSize } = specOf(object);
  return {
    state: words[state] ?? state,
    ...(state === 'ready' ? { readyLeaderReplicas: clusterSize, readyFollowerReplicas: clusterSize } : {}),
  };
}

import type { HealthStatus } from './application.ts';
import { condition, type HealthCheck, type Part, part } from './object-parts.ts';

/** The checks that Argo CD has as scripts. Several of them, like the real ones, do not look at observedGeneration. */
export const scriptedHealth: Readonly<Record<string, HealthCheck>> = {
  'ceph.rook.io/CephCluster': cephHealth,
  'acid.zalan.do/postgresql': (_spec, status) => postgresql[String(status['PostgresClusterStatus'] ?? '')] ?? 'Unknown',
  'kafka.strimzi.io/Kafka': (_spec, status) => readyOrNot(status),
  'argoproj.io/ApplicationSet': (_spec, status) => {
    if (condition(status, 'ErrorOccurred')?.status === 'True') return 'Degraded';
    const upToDate = condition(status, 'ResourcesUpToDate')?.status;
    if (upToDate === 'False') return 'Degraded';
    return upToDate === 'True' ? 'Healthy' : 'Progressing';
  },
  'apiextensions.k8s.io/CustomResourceDefinition': (_spec, status) => {
    if (condition(status, 'NamesAccepted')?.status === 'False') return 'Degraded';
    return condition(status, 'Established')?.status === 'True' ? 'Healthy' : 'Progressing';
  },
};

/** HEALTH_WARN is Degraded whatever the phase; that is the trap. */
function cephHealth(_spec: Part, status: Part): HealthStatus {
  const health = part(status['ceph'])['health'];
  if (health === 'HEALTH_OK') return 'Healthy';
  if (health === 'HEALTH_WARN' || health === 'HEALTH_ERR') return 'Degraded';
  return 'Progressing';
}

const postgresql: Readonly<Record<string, HealthStatus>> = {
  '': 'Progressing',
  Creating: 'Progressing',
  Updating: 'Progressing',
  Running: 'Healthy',
  CreateFailed: 'Degraded',
  UpdateFailed: 'Degraded',
  SyncFailed: 'Degraded',
  Invalid: 'Degraded',
};

function readyOrNot(status: Part): HealthStatus {
  if (condition(status, 'Ready')?.status === 'True') return 'Healthy';
  const notReady = condition(status, 'NotReady');
  if (notReady?.status !== 'True' || notReady.reason === 'Creating') return 'Progressing';
  return 'Degraded';
}

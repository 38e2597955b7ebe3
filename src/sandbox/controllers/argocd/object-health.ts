import { groupOf, type KubeObject } from '../../store/objects.ts';
import type { HealthStatus } from './application.ts';
import type { InstalledCheck } from './installed-checks.ts';
import { condition, type HealthCheck, type Part, part } from './object-parts.ts';
import { scriptedHealth } from './scripted-health.ts';

/** What Argo CD says about one live object, by an installed check or its own; undefined for the many kinds it has no check for. */
export function objectHealth(object: KubeObject, installed: InstalledCheck): HealthStatus | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return 'Progressing';
  const key = `${groupOf(object.apiVersion)}/${object.kind}`;
  const verdict = installed(key, object);
  if (verdict !== undefined) return verdict;
  const check = goChecks[key] ?? scriptedHealth[key];
  return check?.(part(object['spec']), part(object['status']), object);
}

const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise);

const isStale = (status: Part, object: KubeObject): boolean =>
  count(status['observedGeneration']) < (object.metadata.generation ?? 1);

const goChecks: Readonly<Record<string, HealthCheck>> = {
  'apps/Deployment': deploymentHealth,
  'apps/StatefulSet': (spec, status, object) => {
    if (isStale(status, object)) return 'Progressing';
    const replicas = count(spec['replicas'], 1);
    if (count(status['readyReplicas']) < replicas) return 'Progressing';
    return count(status['updatedReplicas'], replicas) < replicas ? 'Progressing' : 'Healthy';
  },
  'apps/DaemonSet': (_spec, status, object) => {
    if (isStale(status, object)) return 'Progressing';
    const wanted = count(status['desiredNumberScheduled']);
    const isDone = count(status['updatedNumberScheduled']) >= wanted && count(status['numberAvailable']) >= wanted;
    return isDone ? 'Healthy' : 'Progressing';
  },
  'batch/Job': (spec, status) => {
    if (condition(status, 'Failed')?.status === 'True') return 'Degraded';
    if (condition(status, 'Complete')?.status === 'True') return 'Healthy';
    return spec['suspend'] === true ? 'Suspended' : 'Progressing';
  },
  '/PersistentVolumeClaim': (_spec, status) => {
    const phase = status['phase'];
    if (phase === 'Lost') return 'Degraded';
    return phase === 'Bound' ? 'Healthy' : 'Progressing';
  },
  '/Service': (spec, status) => {
    const isWaiting = spec['type'] === 'LoadBalancer' && !hasAddress(status);
    return isWaiting ? 'Progressing' : 'Healthy';
  },
  'networking.k8s.io/Ingress': (_spec, status) => (hasAddress(status) ? 'Healthy' : 'Progressing'),
};

function hasAddress(status: Part): boolean {
  const ingress = part(status['loadBalancer'])['ingress'];
  return Array.isArray(ingress) && ingress.length > 0;
}

function deploymentHealth(spec: Part, status: Part, object: KubeObject): HealthStatus {
  if (spec['paused'] === true) return 'Suspended';
  if (isStale(status, object)) return 'Progressing';
  if (condition(status, 'Progressing')?.reason === 'ProgressDeadlineExceeded') return 'Degraded';
  const replicas = count(spec['replicas'], 1);
  const updated = count(status['updatedReplicas']);
  const isRolledOut =
    updated >= replicas && count(status['replicas']) <= updated && count(status['availableReplicas']) >= updated;
  return isRolledOut ? 'Healthy' : 'Progressing';
}

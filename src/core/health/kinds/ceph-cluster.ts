import { because, type Fields, fields, oneLine, staleStatus, text } from './read-object.ts';
import type { Verdict, VerdictPolicy } from './verdict.ts';

/** Rook's ceph.rook.io/CephCluster: phase Ready and HEALTH_OK. An external cluster is never Ready but Connected. */
export function cephClusterVerdict(object: Fields, policy: VerdictPolicy): Verdict {
  const stale = staleStatus(object);
  if (stale !== undefined) return stale;
  const status = fields(object['status']);
  const phase = text(status['phase']);
  const health = text(fields(status['ceph'])['health']);
  const details = warnings(fields(status['ceph'])['details']);
  // An error in Ceph counts in every phase: the operator goes back to Progressing on each reconcile of a broken cluster.
  if (health === 'HEALTH_ERR') return { status: 'degraded', message: because('HEALTH_ERR', details) };
  if (phase === 'Failure') {
    return { status: 'degraded', message: because('phase Failure', oneLine(text(status['message']))) };
  }
  if (phase !== wantedPhase(object)) {
    return {
      status: 'progressing',
      message: because(phase === '' ? 'no status yet' : `phase ${phase}`, oneLine(text(status['message']))),
    };
  }
  return byHealth(phase, health, details, policy);
}

function wantedPhase(object: Fields): string {
  const external = fields(fields(object['spec'])['external'])['enable'];
  return external === true ? 'Connected' : 'Ready';
}

function byHealth(phase: string, health: string, details: string, policy: VerdictPolicy): Verdict {
  switch (health) {
    case 'HEALTH_OK':
      return { status: 'healthy', message: `${phase}, HEALTH_OK` };
    case 'HEALTH_WARN':
      return { status: warnStatus[policy.cephWarn], message: because(`${phase}, HEALTH_WARN`, details) };
    case '':
      return { status: 'progressing', message: `${phase}, but Ceph has not reported its health yet` };
    default:
      return { status: 'unknown', message: `${phase}, and Ceph says ${oneLine(health)}` };
  }
}

const warnStatus = { wait: 'progressing', accept: 'healthy', fail: 'degraded' } as const;

/** `OSD_DOWN 1 osds down; POOL_NO_REDUNDANCY …`, sorted so that two looks at one state read the same. */
function warnings(details: unknown): string {
  const all = Object.entries(fields(details)).map(([code, detail]) => `${code} ${text(fields(detail)['message'])}`);
  return oneLine(all.sort().join('; '));
}

import { because, count, type Fields, fields, oneLine, text } from './read-object.ts';
import type { Verdict } from './verdict.ts';

/** RedisCluster of OT-Container-Kit (redis.redis.opstreelabs.in): state Ready with every leader. Its status knows no generation. */
export function redisClusterVerdict(object: Fields): Verdict {
  const status = fields(object['status']);
  const state = text(status['state']);
  const reason = oneLine(text(status['reason']));
  switch (state) {
    case '':
      return { status: 'progressing', message: 'no status yet' };
    case 'Ready':
      return leaders(object);
    case 'Failed':
      return { status: 'degraded', message: because(state, reason) };
    case 'Initializing':
    case 'Bootstrap':
      return { status: 'progressing', message: because(state, reason) };
    default:
      return { status: 'unknown', message: because(`its operator says ${oneLine(state)}`, reason) };
  }
}

/** Without a generation in the status, the count is what shows that a change of size has not been carried out yet. */
function leaders(object: Fields): Verdict {
  const spec = fields(object['spec']);
  const desired = count(fields(spec['redisLeader'])['replicas']) ?? count(spec['clusterSize']);
  const ready = count(fields(object['status'])['readyLeaderReplicas']);
  if (desired === undefined || ready === undefined) return { status: 'healthy', message: 'Ready' };
  const message = `Ready, ${ready} of ${desired} leaders ready`;
  return { status: ready >= desired ? 'healthy' : 'progressing', message };
}

import { ApiError } from '../../adapters/kubernetes/errors.ts';
import { type Finding, failed, passed } from '../../core/preflight/finding.ts';
import { type NeededRight, neededRights, rightName } from '../../core/preflight/needed-rights.ts';
import type { Check } from '../check.ts';
import type { ClusterLook } from '../open-look.ts';

/** R3.4: cluster-admin or equivalent, asked for right by right; a SelfSubjectAccessReview stores nothing. */
export const permissions: Check = {
  id: 'permissions',
  title: 'Permissions',
  area: 'permissions',
  deadlineMs: 45_000,
  async run({ cluster, platform }, signal) {
    const everything = { verb: '*', group: '*', resource: '*' };
    if (await may(cluster, everything, signal)) return [passed('everything', 'this user is a cluster administrator')];
    const username = await nameOf(cluster);
    const rights = neededRights(platform.environment);
    return Promise.all(rights.map((right) => lookAt(cluster, { right, username }, signal)));
  },
};

/** A cluster before 1.28 cannot say who we are. */
async function nameOf(cluster: ClusterLook): Promise<string> {
  try {
    return (await cluster.user()).username;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'this user';
    throw error;
  }
}

interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

async function may({ client }: ClusterLook, resourceAttributes: Asked, signal: AbortSignal): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = await client.create<{ status?: { allowed?: boolean } }>(path, review, signal);
  return answer.status?.allowed === true;
}

async function lookAt(
  cluster: ClusterLook,
  { right, username }: { readonly right: NeededRight; readonly username: string },
  signal: AbortSignal,
): Promise<Finding> {
  const { verbs, group, resource, namespace, why } = right;
  const where = namespace === undefined ? {} : { namespace };
  const allowed = await Promise.all(verbs.map((verb) => may(cluster, { verb, group, resource, ...where }, signal)));
  const lacking = verbs.filter((_, index) => allowed[index] === false);
  const name = rightName(right);
  if (lacking.length === 0) return passed(name, `may ${verbs.join(', ')}`);
  return failed(
    name,
    `${username} may not ${lacking.join(', ')} (${why})`,
    `Use an administrator’s kubeconfig for the bootstrap, or have one run \`kubectl create clusterrolebinding tiphys-bootstrap --clusterrole=cluster-admin ${subject(username)}\` and delete it afterwards.`,
  );
}

function subject(username: string): string {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  return account === null ? `--user=${username}` : `--serviceaccount=${account[1]}:${account[2]}`;
}

import { ApiError } from '../../adapters/kubernetes/errors.ts';
import { type Finding, failed, passed, warned } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';
import type { ClusterLook } from '../open-look.ts';

/** R3.4: the cluster knows who we are. */
export const kubeconfigAccepted: Check = {
  id: 'kubeconfig',
  title: 'Kubeconfig is accepted',
  area: 'credentials',
  deadlineMs: 20_000,
  async run({ cluster }) {
    try {
      const { username } = await cluster.user();
      return [username === 'system:anonymous' ? anonymous(cluster) : passed('kubeconfig', `accepted as ${username}`)];
    } catch (error) {
      return [trouble(cluster, error)];
    }
  },
};

function anonymous({ name }: ClusterLook): Finding {
  return failed(
    'kubeconfig',
    'the cluster takes us for anybody: the kubeconfig brings no credentials',
    `Give the user of context ${name} a certificate, a token or a plugin.`,
  );
}

function trouble({ name }: ClusterLook, error: unknown): Finding {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401)
    return failed(
      'kubeconfig',
      'the cluster refuses the credentials (401)',
      `They have run out, or are for another cluster. Get new ones; \`kubectl --context ${name} auth whoami\` must answer.`,
    );
  // Older than 1.28: it cannot say who we are, but has let us ask.
  if (error.status === 404)
    return warned('kubeconfig', 'accepted; the cluster is too old to say as whom', 'Kubernetes 1.28 or newer can.');
  return failed('kubeconfig', `the cluster did not say who we are: ${error.message}`, 'Ask whoever runs the cluster.');
}

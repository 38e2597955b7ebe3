import { ConnectionError } from '../../adapters/kubernetes/connection.ts';
import { ApiError, UnreachableError } from '../../adapters/kubernetes/errors.ts';
import { type Finding, failed, passed } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';
import type { ClusterLook } from '../open-look.ts';

/** R3.4: somebody answers at the address of the kubeconfig, and it is a Kubernetes API. */
export const apiServer: Check = {
  id: 'api-server',
  title: 'API server answers',
  area: 'cluster',
  deadlineMs: 20_000,
  async run({ cluster, clock }) {
    const startedAt = clock.now();
    try {
      const { gitVersion } = await cluster.version();
      const took = Math.round(clock.now() - startedAt);
      return [passed('API server', `Kubernetes ${gitVersion} at ${cluster.server} answered in ${took} ms`)];
    } catch (error) {
      return [trouble(cluster, error)];
    }
  },
};

function trouble({ name, server }: ClusterLook, error: unknown): Finding {
  if (error instanceof ConnectionError) return failed('API server', error.message, error.hint);
  const untrusted = error instanceof UnreachableError ? untrustedBecause(error.cause) : undefined;
  if (untrusted !== undefined)
    return failed(
      'API server',
      `${server} shows a certificate that the kubeconfig does not trust (${untrusted})`,
      'Is this the right cluster? Then take its authority from whoever runs it into clusters[].cluster.certificate-authority of the kubeconfig. Do not switch the check off.',
    );
  if (error instanceof UnreachableError)
    return failed(
      'API server',
      error.message,
      `Is the cluster up, and is this the right one? It is the context ${name} with ${server}. \`kubectl --context ${name} version\` must answer.`,
    );
  // It answers, and refuses: that is the matter of the next check.
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return passed('API server', `${server} answers (${error.status})`);
  if (error instanceof ApiError)
    return failed(
      'API server',
      `${server} answered ${error.status}: ${error.message}`,
      'Is this the address of a Kubernetes API? Check clusters[].cluster.server of the kubeconfig.',
    );
  throw error;
}

/** The code by which Node says that it is not the server that the kubeconfig means. */
function untrustedBecause(cause: unknown): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /CERT|SELF_SIGNED|UNABLE_TO/.test(code) ? code : undefined;
}

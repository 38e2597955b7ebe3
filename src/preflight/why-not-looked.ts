import { ConnectionError } from '../adapters/kubernetes/connection.ts';
import { ApiError, UnreachableError } from '../adapters/kubernetes/errors.ts';

/** Why something could not be looked at, and what to do; undefined for an error that is nobody's doing but ours. */
export function whyNotLooked(error: unknown): { readonly why: string; readonly fix: string } | undefined {
  if (error instanceof ConnectionError)
    return { why: 'there is no way to the cluster', fix: 'Mend “API server answers” first.' };
  if (error instanceof UnreachableError)
    return { why: 'the API server does not answer', fix: 'Mend “API server answers” first.' };
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 401)
    return { why: 'the cluster refuses the credentials', fix: 'Mend “Kubeconfig is accepted” first.' };
  if (error.status === 403)
    return { why: error.message, fix: 'Use an administrator’s kubeconfig; “Permissions” names what this user lacks.' };
  return { why: `the API server answered ${error.status}: ${error.message}`, fix: 'Ask whoever runs the cluster.' };
}

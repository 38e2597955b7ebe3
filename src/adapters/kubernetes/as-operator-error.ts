import { OperatorError } from '../../engine/operator-error.ts';
import { ApiError, UnreachableError } from './errors.ts';

/** Turns what the API server refused, or that it did not answer, into a sentence with a remedy. Anything else passes as it is. */
export async function asOperatorError<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(doing, error);
  }
}

function translate(doing: string, error: unknown): unknown {
  if (error instanceof UnreachableError) {
    return new OperatorError(`could not ${doing}: ${error.message}`, {
      hint: 'Is the cluster up, and is this the right kubeconfig and context?',
      mayPass: true,
      cause: error,
    });
  }
  if (!(error instanceof ApiError)) return error;
  // Not so a 401: credentials are read again, and who checks them may be away for a moment.
  const isFinal = error.status === 403;
  return new OperatorError(`could not ${doing}: ${error.message}`, { hint: hintFor(error), isFinal, cause: error });
}

function hintFor(error: ApiError): string {
  if (error.status === 401) return 'The credentials in the kubeconfig were refused: renew them.';
  if (error.status === 403)
    return 'Give this user the rights the message names; docs/permissions.md lists all that Tiphys needs.';
  if (error.status === 404) return 'Is Argo CD installed in this cluster, and is argocdNamespace right?';
  return 'The API server refused it; its message says why.';
}

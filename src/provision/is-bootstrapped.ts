import type { KubeClient } from '../adapters/kubernetes/client.ts';
import { ApiError } from '../adapters/kubernetes/errors.ts';
import { splitApplication } from '../core/platform/application-name.ts';
import type { Platform } from '../core/platform/platform.ts';

/**
 * R7.6. `empty`: no Argo CD. `unfinished`: ours, but the bootstrap was cut short or its root is gone. `ready`: deploy can go on,
 * also on an Argo CD that somebody else installed, which is never touched.
 */
export type BootstrapState = 'empty' | 'unfinished' | 'ready';

/** Reads from the cluster whether phase 1 is over (R3.1): nothing is remembered anywhere else. */
export async function isBootstrapped(
  client: KubeClient,
  platform: Pick<Platform, 'root' | 'environment'>,
  signal: AbortSignal,
): Promise<BootstrapState> {
  const served = await client.get<{ resources?: { name: string }[] }>('/apis/argoproj.io/v1alpha1', signal);
  if (served?.resources?.some(({ name }) => name === 'applications') !== true) return 'empty';
  // The root comes last in a bootstrap: with it there is nothing left to ask, and nobody needs rights for more.
  const { root, environment } = platform;
  if (root !== undefined && (await isThere(client, root, environment.argocdNamespace, signal))) return 'ready';
  const mark = await ourMark(client, environment.argocdNamespace, signal);
  if (mark === undefined) return 'ready';
  return root !== undefined || mark.data?.['state'] === 'installing' ? 'unfinished' : 'ready';
}

interface Mark {
  readonly data?: Readonly<Record<string, string>>;
}

async function ourMark(client: KubeClient, namespace: string, signal: AbortSignal): Promise<Mark | undefined> {
  try {
    return await client.get<Mark>(`/api/v1/namespaces/${namespace}/configmaps/tiphys-bootstrap`, signal);
  } catch (error) {
    // Who may not even look at it could not bootstrap either.
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

async function isThere(
  client: KubeClient,
  application: string,
  argocdNamespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = argocdNamespace, name } = splitApplication(application);
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
  return (await client.get(path, signal)) !== undefined;
}

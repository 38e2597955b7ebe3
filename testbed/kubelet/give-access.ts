import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import { writeKubeconfig } from '../cluster/kubeconfigs.ts';
import type { Pod } from './pod.ts';
import { kubeletFolder } from './record.ts';
import { MissingSettingError } from './resolve-env.ts';
import type { KubeletWorld } from './world.ts';

export interface Access {
  readonly kubeconfig: string;
  /** When a new token is due; whoever uses it reads the file again by itself. */
  readonly renewAt: number;
}

/** Gives a part the rights of its pod's ServiceAccount and no others: a kubeconfig, and a token that ends with the pod. */
export async function giveAccess(world: KubeletWorld, part: string, pod: Pod): Promise<Access> {
  const { testbed, clock } = world;
  const folder = kubeletFolder(testbed.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [tokenFile, kubeconfig] = [join(folder, `${part}.token`), join(folder, `${part}.kubeconfig`)];
  const token = await askForToken(world, pod);
  writeFileSync(`${tokenFile}.next`, token, { mode: 0o600 });
  // Renamed, because its reader may come at any moment.
  renameSync(`${tokenFile}.next`, tokenFile);
  const port = part === 'workflow-controller' ? testbed.ports.workflowsApi : testbed.ports.api;
  writeKubeconfig(kubeconfig, testbed, { tokenFile }, { port, namespace: pod.metadata.namespace });
  return { kubeconfig, renewAt: clock.now() + (lifeSeconds * 1000) / 2 };
}

/** As a kubelet asks for it. */
const lifeSeconds = 3600;

async function askForToken({ client }: KubeletWorld, { metadata, spec }: Pod): Promise<string> {
  const { namespace, name, uid } = metadata;
  const account = spec.serviceAccountName ?? 'default';
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
  try {
    const { status } = await client.create<{ status: { token: string } }>(
      `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: lifeSeconds, boundObjectRef },
      },
    );
    return status.token;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new MissingSettingError(`no token of serviceaccount "${account}": ${error.message}`);
  }
}

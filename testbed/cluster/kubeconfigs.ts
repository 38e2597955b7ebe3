import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Testbed } from '../testbed.ts';
import { type Identity, identities } from './pki.ts';

/** Writes a kubeconfig for everybody; the administrator's is `kubeconfig`. */
export function writeKubeconfigs(testbed: Testbed): void {
  for (const identity of Object.keys(identities) as Identity[]) {
    const user = {
      'client-certificate': pki(testbed, `${identity}.crt`),
      'client-key': pki(testbed, `${identity}.key`),
    };
    writeKubeconfig(kubeconfigOf(testbed, identity), testbed, user, testbed.empty ? { namespace: 'default' } : {});
  }
}

/** Where the kubeconfig of an identity stands. */
export function kubeconfigOf({ folder }: Pick<Testbed, 'folder'>, identity: Identity): string {
  return join(folder, identity === 'admin' ? 'kubeconfig' : `${identity}.kubeconfig`);
}

/** Writes a kubeconfig for this testbed with the given credentials. */
export function writeKubeconfig(
  file: string,
  testbed: Testbed,
  user: Readonly<Record<string, string>>,
  { port = testbed.ports.api, namespace = 'argocd' }: { readonly port?: number; readonly namespace?: string } = {},
): void {
  const name = `testbed-${testbed.name}`;
  const server = `https://127.0.0.1:${port}`;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority': pki(testbed, 'ca.crt') } }],
    users: [{ name, user }],
    // Argo CD takes its namespace from here.
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}

function pki({ folder }: Testbed, file: string): string {
  return join(folder, 'pki', file);
}

import { join } from 'node:path';
import type { Testbed } from '../testbed.ts';
import type { Probe } from './component.ts';

export type ArgoPart =
  | 'argocd-repo-server'
  | 'argocd-application-controller'
  | 'argocd-applicationset-controller'
  | 'argocd-server'
  | 'workflow-controller';

/** What a program needs on a host instead of in a pod, whoever settles the rest: ports of the testbed's own, addresses, folders. */
export interface OnHost {
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly env: Readonly<Record<string, string>>;
  readonly ready: Probe;
}

export interface Seat {
  readonly testbed: Testbed;
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** How each of Argo's programs sits on a host. */
export const onHost: Readonly<Record<ArgoPart, (seat: Seat) => OnHost>> = {
  'argocd-repo-server': ({ testbed: { argocd, folder, ports } }) => ({
    flags: {
      address: '127.0.0.1',
      port: ports.repoServer,
      'metrics-address': '127.0.0.1',
      'metrics-port': ports.repoServerMetrics,
      redis: `127.0.0.1:${ports.redis}`,
      'disable-tls': true,
      // 3.5 wants to know clients by certificate, and does not start without TLS unless told not to.
      ...(argocd === '3.4' ? {} : { 'client-ca-path': '' }),
    },
    env: argocdFolder(folder),
    ready: { url: `http://127.0.0.1:${ports.repoServerMetrics}/healthz` },
  }),
  'argocd-application-controller': (seat) => ({
    flags: { ...common(seat), 'metrics-port': seat.testbed.ports.applicationControllerMetrics },
    env: argocdEnvironment(seat),
    ready: { url: `http://127.0.0.1:${seat.testbed.ports.applicationControllerMetrics}/healthz` },
  }),
  'argocd-applicationset-controller': (seat) => {
    const { ports } = seat.testbed;
    return {
      flags: {
        kubeconfig: seat.kubeconfig,
        namespace: seat.namespace,
        'argocd-repo-server': `127.0.0.1:${ports.repoServer}`,
        'repo-server-plaintext': true,
        'metrics-addr': `127.0.0.1:${ports.applicationSetMetrics}`,
        'probe-addr': `127.0.0.1:${ports.applicationSetProbe}`,
        'webhook-addr': `127.0.0.1:${ports.applicationSetWebhook}`,
      },
      env: argocdEnvironment(seat),
      ready: { url: `http://127.0.0.1:${ports.applicationSetMetrics}/metrics` },
    };
  },
  'argocd-server': (seat) => {
    const { ports } = seat.testbed;
    return {
      flags: {
        ...common(seat),
        address: '127.0.0.1',
        port: ports.argocdServer,
        'metrics-address': '127.0.0.1',
        'metrics-port': ports.argocdServerMetrics,
        'dex-server': 'http://127.0.0.1:1',
      },
      env: argocdEnvironment(seat),
      ready: { url: `http://127.0.0.1:${ports.argocdServer}/healthz` },
    };
  },
  'workflow-controller': ({ testbed: { ports }, kubeconfig, namespace }) => ({
    flags: { kubeconfig, namespace },
    env: { KUBECONFIG: kubeconfig },
    ready: { url: `http://127.0.0.1:${ports.workflowsMetrics}/metrics` },
  }),
};

function common({ testbed: { ports }, kubeconfig, namespace }: Seat): Record<string, string | number | boolean> {
  return {
    kubeconfig,
    namespace,
    redis: `127.0.0.1:${ports.redis}`,
    'repo-server': `127.0.0.1:${ports.repoServer}`,
    'repo-server-plaintext': true,
  };
}

/** In a container these are mounts. */
export const argocdFolders = ['tls', 'ssh', 'gpg-keys', 'gpg-source', 'plugins', 'helm'] as const;

function argocdEnvironment({ testbed: { folder }, kubeconfig }: Seat): Record<string, string> {
  return { ...argocdFolder(folder), KUBECONFIG: kubeconfig };
}

function argocdFolder(folder: string): Record<string, string> {
  const own = (name: (typeof argocdFolders)[number]): string => join(folder, 'argocd', name);
  const passwords = join(folder, 'argocd', 'ask');
  return {
    // Where Git is handed its passwords; otherwise all repo servers of a machine take the same socket from each other. Longer paths no socket has.
    ...(passwords.length > 107 ? {} : { ARGOCD_ASK_PASS_SOCK: passwords }),
    // The address of “this cluster” in Applications means the cluster of the kubeconfig.
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_TLS_DATA_PATH: own('tls'),
    ARGOCD_SSH_DATA_PATH: own('ssh'),
    ARGOCD_GNUPGHOME: own('gpg-keys'),
    ARGOCD_GPG_DATA_PATH: own('gpg-source'),
    ARGOCD_PLUGINSOCKFILEPATH: own('plugins'),
    HELM_CACHE_HOME: own('helm'),
    HELM_CONFIG_HOME: own('helm'),
    HELM_DATA_HOME: own('helm'),
  };
}

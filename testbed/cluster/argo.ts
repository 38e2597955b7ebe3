import { join } from 'node:path';
import { type Component, flags, type Site } from './component.ts';
import { kubeconfigOf } from './kubeconfigs.ts';

/** Where people may put Applications besides Argo CD's own namespace. */
const applicationNamespaces = 'team-*';

/** Argo CD's processes and the Argo Workflows controller, beside the cluster instead of in it. */
export function argo(site: Site): Component[] {
  return [
    redis(site),
    repoServer(site),
    applicationController(site),
    applicationSets(site),
    server(site),
    workflows(site),
  ];
}

function redis({ testbed: { folder, ports }, redis: command }: Site): Component {
  const nothingKept = ['--save', '', '--appendonly', 'no'];
  return {
    name: 'redis',
    command,
    args: ['--port', String(ports.redis), '--bind', '127.0.0.1', ...nothingKept, '--dir', folder],
    ready: { port: ports.redis },
  };
}

function repoServer({ testbed: { argocd, folder, ports }, program }: Site): Component {
  return {
    name: 'argocd-repo-server',
    command: program('argocd-repo-server'),
    args: flags({
      address: '127.0.0.1',
      port: ports.repoServer,
      'metrics-address': '127.0.0.1',
      'metrics-port': ports.repoServerMetrics,
      redis: `127.0.0.1:${ports.redis}`,
      'disable-tls': true,
      // 3.5 wants to know clients by certificate, and does not start without TLS unless told not to.
      ...(argocd === '3.4' ? {} : { 'client-ca-path': '' }),
      logformat: 'text',
    }),
    env: argocdEnvironment(folder),
    ready: { url: `http://127.0.0.1:${ports.repoServerMetrics}/healthz` },
  };
}

function applicationController({ testbed, program }: Site): Component {
  const { folder, ports, reconciliation } = testbed;
  return {
    name: 'argocd-application-controller',
    command: program('argocd-application-controller'),
    args: flags({
      ...common(testbed),
      'metrics-port': ports.applicationControllerMetrics,
      'application-namespaces': applicationNamespaces,
      'app-resync': Number.parseInt(reconciliation, 10),
      'app-resync-jitter': 0,
    }),
    env: { ...argocdEnvironment(folder), KUBECONFIG: kubeconfigOf(testbed, 'argocd') },
    ready: { url: `http://127.0.0.1:${ports.applicationControllerMetrics}/healthz` },
  };
}

function applicationSets({ testbed, program }: Site): Component {
  const { folder, ports } = testbed;
  return {
    name: 'argocd-applicationset-controller',
    command: program('argocd-applicationset-controller'),
    args: flags({
      kubeconfig: kubeconfigOf(testbed, 'argocd'),
      namespace: 'argocd',
      'argocd-repo-server': `127.0.0.1:${ports.repoServer}`,
      'repo-server-plaintext': true,
      'metrics-addr': `127.0.0.1:${ports.applicationSetMetrics}`,
      'probe-addr': `127.0.0.1:${ports.applicationSetProbe}`,
      'webhook-addr': `127.0.0.1:${ports.applicationSetWebhook}`,
      'enable-progressive-syncs': true,
      logformat: 'text',
    }),
    env: { ...argocdEnvironment(folder), KUBECONFIG: kubeconfigOf(testbed, 'argocd') },
    ready: { url: `http://127.0.0.1:${ports.applicationSetMetrics}/metrics` },
  };
}

function server({ testbed, program }: Site): Component {
  const { folder, ports } = testbed;
  return {
    name: 'argocd-server',
    command: program('argocd-server'),
    args: flags({
      ...common(testbed),
      address: '127.0.0.1',
      port: ports.argocdServer,
      'metrics-address': '127.0.0.1',
      'metrics-port': ports.argocdServerMetrics,
      'application-namespaces': applicationNamespaces,
      'dex-server': 'http://127.0.0.1:1',
      insecure: true,
      'disable-auth': true,
    }),
    env: { ...argocdEnvironment(folder), KUBECONFIG: kubeconfigOf(testbed, 'argocd') },
    ready: { url: `http://127.0.0.1:${ports.argocdServer}/healthz` },
  };
}

function common({ folder, name, argocd, ports }: Site['testbed']): Record<string, string | number | boolean> {
  return {
    kubeconfig: kubeconfigOf({ folder, name, argocd, ports }, 'argocd'),
    namespace: 'argocd',
    redis: `127.0.0.1:${ports.redis}`,
    'repo-server': `127.0.0.1:${ports.repoServer}`,
    'repo-server-plaintext': true,
    logformat: 'text',
  };
}

/** In a container these are mounts. */
export const argocdFolders = ['tls', 'ssh', 'gpg-keys', 'gpg-source', 'plugins'] as const;

function argocdEnvironment(folder: string): Record<string, string> {
  const own = (name: (typeof argocdFolders)[number]): string => join(folder, 'argocd', name);
  return {
    // The address of “this cluster” in Applications means the cluster of the kubeconfig.
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_TLS_DATA_PATH: own('tls'),
    ARGOCD_SSH_DATA_PATH: own('ssh'),
    ARGOCD_GNUPGHOME: own('gpg-keys'),
    ARGOCD_GPG_DATA_PATH: own('gpg-source'),
    ARGOCD_PLUGINSOCKFILEPATH: own('plugins'),
  };
}

function workflows({ testbed, program }: Site): Component {
  return {
    name: 'workflow-controller',
    command: program('workflow-controller'),
    args: flags({
      kubeconfig: kubeconfigOf(testbed, 'workflows'),
      namespace: 'argo',
      namespaced: true,
      'managed-namespace': 'argo',
      'executor-image': 'argoexec',
      'log-format': 'text',
    }),
    env: {
      KUBECONFIG: kubeconfigOf(testbed, 'workflows'),
      LEADER_ELECTION_DISABLE: 'true',
      DEFAULT_REQUEUE_TIME: testbed.requeue,
    },
    ready: { url: `http://127.0.0.1:${testbed.ports.workflowsMetrics}/metrics` },
  };
}

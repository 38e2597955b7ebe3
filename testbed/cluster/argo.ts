import { type ArgoPart, onHost } from './argo-parts.ts';
import { type Component, flags, type Site } from './component.ts';
import { kubeconfigOf } from './kubeconfigs.ts';
import type { Identity } from './pki.ts';

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

function repoServer(site: Site): Component {
  return component(site, 'argocd-repo-server', { settings: { logformat: 'text' } });
}

function applicationController(site: Site): Component {
  return component(site, 'argocd-application-controller', {
    settings: {
      logformat: 'text',
      'application-namespaces': applicationNamespaces,
      'app-resync': Number.parseInt(site.testbed.reconciliation, 10),
      'app-resync-jitter': 0,
    },
  });
}

function applicationSets(site: Site): Component {
  return component(site, 'argocd-applicationset-controller', {
    settings: { logformat: 'text', 'enable-progressive-syncs': true },
  });
}

function server(site: Site): Component {
  return component(site, 'argocd-server', {
    settings: {
      logformat: 'text',
      'application-namespaces': applicationNamespaces,
      insecure: true,
      'disable-auth': true,
    },
  });
}

function workflows(site: Site): Component {
  return component(site, 'workflow-controller', {
    identity: 'workflows',
    namespace: 'argo',
    settings: { namespaced: true, 'managed-namespace': 'argo', 'executor-image': 'argoexec', 'log-format': 'text' },
    env: { LEADER_ELECTION_DISABLE: 'true', DEFAULT_REQUEUE_TIME: site.testbed.requeue },
  });
}

interface Settled {
  readonly identity?: Identity;
  readonly namespace?: string;
  readonly settings: Parameters<typeof flags>[0];
  readonly env?: Readonly<Record<string, string>>;
}

/** What a chart would settle stands here. */
function component({ testbed, program }: Site, name: ArgoPart, settled: Settled): Component {
  const { identity = 'argocd', namespace = 'argocd', settings, env = {} } = settled;
  const host = onHost[name]({ testbed, kubeconfig: kubeconfigOf(testbed, identity), namespace });
  return {
    name,
    command: program(name),
    args: flags({ ...host.flags, ...settings }),
    env: { ...host.env, ...env },
    ready: host.ready,
  };
}

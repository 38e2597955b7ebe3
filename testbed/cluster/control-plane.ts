import { join } from 'node:path';
import { type Component, flags, type Site } from './component.ts';
import { kubeconfigOf } from './kubeconfigs.ts';

export interface ControlPlane {
  readonly store: readonly Component[];
  readonly controllers: readonly Component[];
  /** Started when the stages, which tell how nodes and pods behave, are there. */
  readonly nodes: readonly Component[];
}

/** etcd, the API server, and what makes workloads of objects. TLS and RBAC are on; only etcd, which nobody else talks to, is plain. */
export function controlPlane(site: Site): ControlPlane {
  return {
    store: [etcd(site), apiServer(site)],
    controllers: [controllerManager(site), scheduler(site)],
    nodes: [kwok(site)],
  };
}

function etcd({ testbed: { folder, ports }, program }: Site): Component {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    name: 'etcd',
    command: program('etcd'),
    args: flags({
      name: 'testbed',
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `testbed=${peer}`,
      // A testbed outlives a killed process, not a lost machine.
      'unsafe-no-fsync': true,
      'quota-backend-bytes': 4 * 1024 ** 3,
      'log-level': 'warn',
    }),
    ready: { url: `${client}/health` },
  };
}

function apiServer({ testbed: { folder, ports }, program }: Site): Component {
  const pki = (file: string): string => join(folder, 'pki', file);
  return {
    name: 'kube-apiserver',
    command: program('kube-apiserver'),
    args: flags({
      'etcd-servers': `http://127.0.0.1:${ports.etcd}`,
      'bind-address': '127.0.0.1',
      'secure-port': ports.api,
      'endpoint-reconciler-type': 'none',
      'tls-cert-file': pki('server.crt'),
      'tls-private-key-file': pki('server.key'),
      'client-ca-file': pki('ca.crt'),
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': pki('tokens.pub'),
      'service-account-signing-key-file': pki('tokens.key'),
      'service-cluster-ip-range': '10.96.0.0/16',
      'authorization-mode': 'Node,RBAC',
      'allow-privileged': true,
      'enable-priority-and-fairness': false,
      profiling: false,
      'audit-policy-file': join(folder, 'audit-policy.yaml'),
      'audit-log-path': join(folder, 'audit.log'),
      // Never turned over: whoever reads it reads all of it.
      'audit-log-maxsize': 100_000,
      'egress-selector-config-file': join(folder, 'egress.yaml'),
    }),
    ready: { url: `https://127.0.0.1:${ports.api}/readyz` },
  };
}

function controllerManager(site: Site): Component {
  const { folder, ports } = site.testbed;
  const pki = (file: string): string => join(folder, 'pki', file);
  return {
    name: 'kube-controller-manager',
    command: site.program('kube-controller-manager'),
    args: flags({
      kubeconfig: kubeconfigOf(site.testbed, 'controller-manager'),
      ...served(site, ports.controllerManager),
      'use-service-account-credentials': true,
      'service-account-private-key-file': pki('tokens.key'),
      'root-ca-file': pki('ca.crt'),
      'cluster-signing-cert-file': pki('ca.crt'),
      'cluster-signing-key-file': pki('ca.key'),
      controllers: '*,-nodeipam',
      // Claims of the class `standard` get real volumes, which go with them.
      'enable-hostpath-provisioner': true,
    }),
    ready: { url: `https://127.0.0.1:${ports.controllerManager}/healthz` },
  };
}

function scheduler(site: Site): Component {
  const { ports } = site.testbed;
  return {
    name: 'kube-scheduler',
    command: site.program('kube-scheduler'),
    args: flags({ kubeconfig: kubeconfigOf(site.testbed, 'scheduler'), ...served(site, ports.scheduler) }),
    ready: { url: `https://127.0.0.1:${ports.scheduler}/healthz` },
  };
}

function served({ testbed: { folder } }: Site, port: number): Record<string, string | number | boolean> {
  return {
    'bind-address': '127.0.0.1',
    'secure-port': port,
    'tls-cert-file': join(folder, 'pki/server.crt'),
    'tls-private-key-file': join(folder, 'pki/server.key'),
    'leader-elect': false,
    'authentication-skip-lookup': true,
  };
}

function kwok({ testbed, program }: Site): Component {
  return {
    name: 'kwok',
    command: program('kwok'),
    args: flags({
      // Stages are objects in the cluster: those of an operator's kinds come when their definitions do.
      'enable-crds': 'Stage',
      kubeconfig: kubeconfigOf(testbed, 'kwok'),
      'manage-nodes-with-annotation-selector': 'kwok.x-k8s.io/node=fake',
      cidr: '10.0.0.0/16',
      'node-ip': '10.0.0.1',
      'node-lease-duration-seconds': 40,
      'server-address': `127.0.0.1:${testbed.ports.kwok}`,
    }),
    ready: { url: `http://127.0.0.1:${testbed.ports.kwok}/healthz` },
  };
}

import { join } from 'node:path';
import { type Client, type Component, flags, type Site } from './component.ts';
import { kubeconfigOf } from './kubeconfigs.ts';
import { etcdPki } from './pki.ts';

export interface ControlPlane {
  readonly store: readonly Component[];
  readonly controllers: readonly Component[];
  /** Started when the stages, which tell how nodes and pods behave, are there. */
  readonly nodes: readonly Component[];
}

/** etcd, the API server, and what makes workloads of objects. TLS and RBAC are on. */
export function controlPlane(site: Site): ControlPlane {
  return {
    store: [etcd(site), apiServer(site)],
    controllers: [controllerManager(site), scheduler(site)],
    nodes: [kwok(site)],
  };
}

function etcd({ testbed: { folder, ports }, program }: Site): Component {
  const client = `https://127.0.0.1:${ports.etcd}`;
  const peer = `https://127.0.0.1:${ports.etcdPeer}`;
  const pki = (file: string): string => join(etcdPki(folder), file);
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
      // Whoever it lets in may do everything, so it lets in only those whom its own authority knows.
      'client-cert-auth': true,
      'trusted-ca-file': pki('ca.crt'),
      'cert-file': pki('server.crt'),
      'key-file': pki('server.key'),
      'peer-client-cert-auth': true,
      'peer-trusted-ca-file': pki('ca.crt'),
      'peer-cert-file': pki('server.crt'),
      'peer-key-file': pki('server.key'),
      // A testbed outlives a killed process, not a lost machine.
      'unsafe-no-fsync': true,
      'quota-backend-bytes': 4 * 1024 ** 3,
      'log-level': 'warn',
    }),
    ready: { url: `${client}/health`, client: etcdClient(folder) },
  };
}

/** The API server's way to etcd. */
function etcdClient(folder: string): Client {
  const pki = (file: string): string => join(etcdPki(folder), file);
  return { authority: pki('ca.crt'), certificate: pki('client.crt'), key: pki('client.key') };
}

function apiServer({ testbed: { folder, ports }, program }: Site): Component {
  const pki = (file: string): string => join(folder, 'pki', file);
  const etcd = etcdClient(folder);
  return {
    name: 'kube-apiserver',
    command: program('kube-apiserver'),
    args: flags({
      'etcd-servers': `https://127.0.0.1:${ports.etcd}`,
      'etcd-cafile': etcd.authority,
      'etcd-certfile': etcd.certificate,
      'etcd-keyfile': etcd.key,
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

import { createSign } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { kubeconfigOf, writeKubeconfig } from '../../testbed/cluster/kubeconfigs.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { standInTools } from '../e2e/preflight-tools.ts';
import { known, testbed } from './empty-bed.ts';
import { type Looked, preflight, writesSince } from './preflight-runner.ts';
import { buildProgram } from './program.ts';
import { eventually } from './waiting.ts';

/** A real cluster with nothing of ours in it, a machine with every tool, and mirrors on the loopback. */
export interface PreflightBed {
  readonly state: TestbedState;
  readonly client: KubeClient;
  /** A folder for the test's own files. */
  readonly folder: string;
  readonly mirror: Witness;
  /** Where everything that is not on the loopback has to go through. */
  readonly proxy: Witness;
  /** Runs it for the platform whose environment names the mirror, and tells what it has written meanwhile. */
  look(order?: LookOrder): Promise<Looked & { readonly written: readonly unknown[] }>;
  close(): Promise<void>;
}

export interface LookOrder {
  readonly kubeconfig?: string;
  readonly path?: string;
  /** Of environment.yaml, as YAML in flow style. */
  readonly section?: string;
  readonly words?: readonly string[];
}

/** A server that remembers what it was asked for. */
export interface Witness {
  readonly url: string;
  readonly asked: string[];
  close(): void;
}

export async function preflightBed(name: string): Promise<PreflightBed> {
  const program = await buildProgram(name);
  await testbed('down', name, '--delete');
  await testbed('up', name, '--empty');
  const state = known(name);
  const { client, close } = await openTestbed(state);
  await bringDns(client);
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-preflight-empty-'));
  const [mirror, proxy] = await Promise.all([mirrorOfAll(), closedProxy()]);
  // What is looked at here is the cluster and the way out. Behind them whatever else this machine has: git's own parts, and ssh.
  const tools = `${standInTools(join(folder, 'bin'))}:${process.env['PATH'] ?? ''}`;
  const platform = join(folder, 'platform');
  cpSync('platforms/hello', platform, { recursive: true });
  const environment = readFileSync(join(platform, 'environment.yaml'), 'utf8');
  return {
    state,
    client,
    folder,
    mirror,
    proxy,
    async look({ kubeconfig = kubeconfigOf(state, 'admin'), path, section, words } = {}) {
      const own = section ?? `{ registries: ["${mirror.url}"] }`;
      writeFileSync(join(platform, 'environment.yaml'), `${environment}\npreflight: ${own}\n`);
      const given = words ?? ['--charts', state.charts ?? '', '--git-repository', `${mirror.url}/platform.git`];
      const env = {
        PATH: path ?? tools,
        HOME: folder,
        HTTPS_PROXY: proxy.url,
        HTTP_PROXY: proxy.url,
        NO_PROXY: '127.0.0.1',
      };
      const since = Date.now();
      const looked = await preflight(program, [platform, '--kubeconfig', kubeconfig, ...given], env);
      return { ...looked, written: await writesSince(state, client, since) };
    },
    async close() {
      close();
      mirror.close();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
      await testbed('down', name, '--delete');
    },
  };
}

/** As every distribution has it: what nobody has installed is none of Tiphys's matters. */
async function bringDns(client: KubeClient): Promise<void> {
  const path = '/apis/apps/v1/namespaces/kube-system/deployments';
  await client.create(path, deployment('kube-system', 'coredns', { 'k8s-app': 'kube-dns' }));
  await eventually('CoreDNS is ready', async () => {
    const found = await client.get<{ status?: { readyReplicas?: number } }>(`${path}/coredns`);
    return found?.status?.readyReplicas === 1;
  });
}

/** One pod, on any node, or on one of these only. */
export function deployment(
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>>,
  nodeSelector: Readonly<Record<string, string>> = {},
) {
  const containers = [{ name: 'main', image: 'registry.example.com/main:1' }];
  const template = { metadata: { labels: { app: name } }, spec: { containers, nodeSelector } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
  };
}

/** A registry that lets anybody in, and a Git repository with one branch. */
function mirrorOfAll(): Promise<Witness> {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  const branch = line(`${'a1'.repeat(20)} refs/heads/main\0agent=test\n`);
  const refs = `${line('# service=git-upload-pack\n')}0000${branch}0000`;
  return witness((url) => (url.includes('/info/refs') ? refs : '{}'));
}

/** Lets nothing through: what would have left this machine is known, and has not left it. */
function closedProxy(): Promise<Witness> {
  return witness(() => undefined);
}

/** undefined: it answers as a proxy without a way on. */
async function witness(answer: (url: string) => string | undefined): Promise<Witness> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const body = answer(url);
    const type = url.includes('/info/refs') ? 'application/x-git-upload-pack-advertisement' : 'application/json';
    response.writeHead(body === undefined ? 502 : 200, { 'content-type': type }).end(body);
  });
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 502 there is no way on\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

/** A kubeconfig for this testbed with a token, perhaps at a port where nobody is. */
export function kubeconfigWith({ state, folder }: PreflightBed, token: string, port?: number): string {
  const file = join(folder, 'other.kubeconfig');
  writeKubeconfig(file, state, { token }, port === undefined ? {} : { port });
  return file;
}

/** The administrator's kubeconfig with another authority than the API server's. */
export function kubeconfigTrusting({ state, folder }: PreflightBed, certificate: string): string {
  const config = parse(readFileSync(kubeconfigOf(state, 'admin'), 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  const { 'certificate-authority': _ours, ...cluster } = config.clusters[0]?.cluster ?? {};
  const authority = { 'certificate-authority-data': Buffer.from(certificate).toString('base64') };
  const clusters = [{ ...config.clusters[0], cluster: { ...cluster, ...authority } }];
  const file = join(folder, 'other.kubeconfig');
  writeFileSync(file, stringify({ ...config, clusters }), { mode: 0o600 });
  return file;
}

/** A token of the ServiceAccount `default` as the API server would sign it, good until so many seconds from now. */
export async function tokenFor({ state, client }: PreflightBed, seconds: number): Promise<string> {
  const account = await client.get<{ metadata: { uid: string } }>('/api/v1/namespaces/default/serviceaccounts/default');
  const now = Math.floor(Date.now() / 1000);
  const issuer = 'https://kubernetes.default.svc';
  const claims = {
    iss: issuer,
    aud: [issuer],
    sub: 'system:serviceaccount:default:default',
    iat: now - 7200,
    nbf: now - 7200,
    exp: now + seconds,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'default', uid: account?.metadata.uid } },
  };
  const encoded = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signing = createSign('RSA-SHA256').update(encoded.join('.'));
  const signature = signing.sign(readFileSync(join(state.folder, 'pki', 'tokens.key')), 'base64url');
  return [...encoded, signature].join('.');
}

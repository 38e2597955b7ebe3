import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Told, tell } from '../../src/cli/fake-io.fixture.ts';
import { readChartsLock } from '../../src/core/bootstrap/charts-lock.ts';
import type { Finding } from '../../src/core/preflight/finding.ts';
import type { PreflightReport } from '../../src/core/preflight/preflight-report.ts';
import { createApi } from '../../src/sandbox/api/create-api.ts';
import type { Handler } from '../../src/sandbox/api/handler.ts';
import type { Identities } from '../../src/sandbox/api/identities.ts';
import type { RecordedRequest } from '../../src/sandbox/api/recorded-request.ts';
import { serveHttp } from '../../src/sandbox/api/serve-http.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { createResourceTypes, type ResourceTypes } from '../../src/sandbox/store/resource-types.ts';
import { createStore, type Store } from '../../src/sandbox/store/store.ts';
import { scaledTime } from '../../src/sandbox/time.ts';
import { standInTools } from './preflight-tools.ts';

/** A machine with all tools and a Git repository, and a small cluster with nothing of ours in it. */
export interface PreflightBench {
  readonly folder: string;
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly requests: readonly RecordedRequest[];
  readonly env: Readonly<Record<string, string>>;
  /** Puts an object into the cluster as it is. */
  put(object: KubeObject): void;
  /** Runs `tiphys preflight` and reads its report. */
  run(order?: RunOrder): Promise<Ended>;
  /** Runs it for another output, perhaps until Ctrl-C. */
  tell(args: readonly string[], env?: Readonly<Record<string, string>>, stop?: AbortSignal): Promise<Told>;
  close(): Promise<void>;
}

export interface RunOrder {
  /** Lines of the section `preflight` of environment.yaml, as YAML in flow style. */
  readonly section?: string;
  readonly gitRepository?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended extends Told {
  readonly report: PreflightReport;
  /** The finding about this thing, in any check. */
  about(what: string): Finding | undefined;
}

/** Opens the bench; whoever opens it closes it. */
export async function preflightBench(identities?: Identities): Promise<PreflightBench> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-preflight-test-'));
  const { put, store, types, requests, server } = await smallCluster(identities);
  const mirror = await serveHttp(openRegistry, { host: '127.0.0.1', port: 0 });
  const platform = join(folder, 'platform');
  cpSync('platforms/hello', platform, { recursive: true });
  const repository = gitRepository(folder);
  const env = { PATH: standInTools(join(folder, 'bin')), HOME: folder, KUBECONFIG: kubeconfig(folder, server.url) };
  const charts = chartsIn(join(folder, 'charts'));
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets);

  const tellIt: PreflightBench['tell'] = (args, more = {}, stop = new AbortController().signal) =>
    tell(['preflight', platform, '--charts', charts, '--secrets', secrets, ...args], {
      env: { ...env, ...more },
      home: folder,
      stop,
    });

  return {
    folder,
    store,
    types,
    requests,
    env,
    put,
    tell: tellIt,
    async run({ section = '', gitRepository: git = `file://${repository}`, args = [], env: more = {} } = {}) {
      writeFileSync(join(platform, 'environment.yaml'), environmentOf(git, mirror.url, section));
      const told = await tellIt(['-o', 'json', ...args], more);
      if (told.out === '') throw new Error(`no report: ${told.err}`);
      const report = JSON.parse(told.out) as PreflightReport;
      const findings = report.checks.flatMap((check) => check.findings);
      return { ...told, report, about: (what) => findings.find((finding) => finding.about === what) };
    },
    async close() {
      await Promise.all([server.close(), mirror.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Without a mirror named, the real registries would be asked. */
function environmentOf(gitRepository: string, mirror: string, section: string): string {
  const named = `registries: [${mirror}]`;
  const own = section.includes('registries:') ? section : [named, section].filter((part) => part !== '').join(', ');
  return `name: development\ndomain: example.com\ngitRepository: ${gitRepository}\ngitRevision: main\npreflight: { ${own} }\n`;
}

/** A registry that lets anybody in. */
const openRegistry: Handler = async () => ({ status: 200, headers: {}, body: (async function* () {})() });

async function smallCluster(identities: Identities | undefined) {
  const time = scaledTime(1);
  const store = createStore(time);
  const types = createResourceTypes();
  const { handle, requests } = createApi({ store, types, time, ...(identities === undefined ? {} : { identities }) });
  const put = (object: KubeObject): void => {
    const type = types.byKind(object.apiVersion, object.kind);
    if (type === undefined) throw new Error(`this cluster has no ${object.kind}`);
    store.create(type, object, 'test');
  };
  for (const name of ['default', 'kube-system']) put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const name of ['one', 'two', 'three']) put(node(name));
  put(deployment('kube-system', 'coredns', { labels: { 'k8s-app': 'kube-dns' } }));
  const server = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
  return { put, store, types, requests, server };
}

/** A node with room. */
export function node(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: {},
    status: {
      conditions: [{ type: 'Ready', status: 'True', message: 'kubelet is posting ready status' }],
      allocatable: { cpu: '16', memory: '64Gi', pods: '110' },
      nodeInfo: { kubeletVersion: 'v1.34.1', osImage: 'Debian 12', architecture: 'amd64' },
    },
  };
}

export function deployment(
  namespace: string,
  name: string,
  { labels = {}, ready = 1 }: { labels?: Record<string, string>; ready?: number } = {},
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas: 1 },
    status: { readyReplicas: ready },
  };
}

function gitRepository(folder: string): string {
  const repository = join(folder, 'repository');
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { stdio: 'ignore' });
  };
  git('init', '--initial-branch=main', repository);
  git('-C', repository, 'commit', '--allow-empty', '-m', 'first');
  return repository;
}

function kubeconfig(folder: string, server: string): string {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfigText(server, 'right'), { mode: 0o600 });
  return file;
}

export function kubeconfigText(server: string, token: string): string {
  return `clusters: [{ name: c, cluster: { server: "${server}" } }]
users: [{ name: u, user: { token: ${token} } }]
contexts: [{ name: bench, context: { cluster: c, user: u } }]
current-context: bench
`;
}

/** Folders with the names of the charts that bootstrap wants. */
function chartsIn(folder: string): string {
  const read = readChartsLock(readFileSync('bootstrap/charts.lock', 'utf8'));
  if ('wrong' in read) throw new Error(read.wrong);
  for (const { name } of read.charts) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'Chart.yaml'), `name: ${name}\n`);
  }
  return folder;
}

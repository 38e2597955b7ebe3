import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import { smallChart } from '../../src/provision/chart.fixture.ts';
import { chartDigest, readChartFolder } from '../../src/provision/chart-files.ts';
import { fakeAnsible } from '../../src/provision/fake-ansible.fixture.ts';
import type { Handler } from '../../src/sandbox/api/handler.ts';
import { serveHttp } from '../../src/sandbox/api/serve-http.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { scaledTime } from '../../src/sandbox/time.ts';
import { platformFrom } from '../harness.ts';
import { listenTo } from '../running.ts';
import { deployment, node } from './preflight-bench.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Our program with a playbook that only pretends, and a cluster that is empty until that playbook says otherwise. */
export interface BootstrapBench {
  readonly folder: string;
  /** Where the program keeps what is private; nothing may stay in it. */
  readonly tmp: string;
  /** Starts the program; the playbook will tell these lines (`!` is for what it does besides). */
  start(args: readonly string[], play: readonly (object | string)[], env?: Readonly<Record<string, string>>): Started;
  /** What the playbook was given, when it ran last. */
  given(): Given;
  /** Empty again, as far as the playbook installed anything. */
  empty(): void;
  readonly writes: readonly string[];
  close(): Promise<void>;
}

export interface Started {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly said: { out: string; err: string };
  until(pattern: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

export interface Given {
  readonly pid: number;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly kubeconfig: string;
  readonly modes: Readonly<Record<'vars' | 'kubeconfig' | 'folder', string>>;
}

export const token = 'planted-token-4711';

export async function openBootstrapBench(): Promise<BootstrapBench> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bootstrap-'));
  const tmp = join(folder, 'tmp');
  mkdirSync(tmp);
  await product(folder);
  const installed = join(folder, 'installed');
  const cluster = await clusterThat(() => existsSync(installed));
  const kubeconfig = kubeconfigData(cluster.url);
  return {
    folder,
    tmp,
    writes: cluster.writes,
    empty: () => rmSync(installed, { force: true }),
    given: () => JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8')),
    start(args, play, env = {}) {
      const lines = play.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
      writeFileSync(join(folder, 'play'), lines.join('\n'));
      return startProgram(folder, args, {
        PATH: `${join(folder, 'path')}:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: join(folder, 'home'),
        TMPDIR: tmp,
        NO_COLOR: '1',
        KUBECONFIG_DATA: kubeconfig,
        TIPHYS_ANSIBLE: join(folder, 'ansible'),
        CHARTS: join(folder, 'given-charts'),
        FAKE_FOLDER: folder,
        ...env,
      });
    },
    async close() {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What people install, bundled as they get it, with small charts and a playbook of ours. */
async function product(folder: string): Promise<void> {
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json', 'charts'])
    symlinkSync(join(root, name), join(folder, name));
  for (const name of ['bin', 'platforms']) cpSync(join(root, name), join(folder, name), { recursive: true });
  execFileSync(process.execPath, [join(root, 'build.mjs')], { cwd: folder });
  write(join(folder, 'given-charts', 'alpha'), smallChart('alpha'));
  const digest = chartDigest(await readChartFolder(join(folder, 'given-charts', 'alpha')));
  const lock = `charts:\n  - { name: alpha, version: 1.2.3, appVersion: "1.10", source: { repository: "https://charts.example.com" }, digest: "${digest}" }\n`;
  write(join(folder, 'bootstrap'), {
    'site.yml': '[]\n',
    'charts.lock': lock,
    'requirements.txt': '',
    'ansible.cfg': '',
  });
  write(folder, { 'play.mjs': player, 'path/helm': '#!/bin/sh\necho v3.21.4\n' });
  execFileSync('chmod', ['+x', join(folder, 'path', 'helm')]);
  fakeAnsible(join(folder, 'ansible'), { play: join(folder, 'play.mjs') });
}

/** The playbook: notes what it was given, then does line by line as it is told. */
const player = `
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
const { env, argv } = process;
const vars = argv[argv.lastIndexOf('-e') + 1].slice(1);
const mode = (file) => (statSync(file).mode & 0o777).toString(8);
writeFileSync(join(env.FAKE_FOLDER, 'given.json'), JSON.stringify({
  pid: process.pid, args: argv.slice(2), cwd: process.cwd(), env, vars: JSON.parse(readFileSync(vars, 'utf8')), kubeconfig: readFileSync(env.K8S_AUTH_KUBECONFIG, 'utf8'),
  modes: { vars: mode(vars), kubeconfig: mode(env.K8S_AUTH_KUBECONFIG), folder: mode(dirname(vars)) },
}));
for (const line of readFileSync(join(env.FAKE_FOLDER, 'play'), 'utf8').split('\\n')) {
  const [word, ...rest] = line.split(' ');
  if (word === '!install') writeFileSync(join(env.FAKE_FOLDER, 'installed'), '');
  else if (word === '!err') process.stderr.write(rest.join(' ') + '\\n');
  else if (word === '!exit') process.exit(Number(rest[0]));
  else if (word === '!child') {
    const child = spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { detached: true, stdio: 'ignore' });
    writeFileSync(join(env.FAKE_FOLDER, 'child'), String(child.pid));
  } else if (word === '!hang') await new Promise(() => setInterval(() => undefined, 1000));
  else writeSync(3, line + '\\n');
}
`;

/** What preflight looks for. */
const dns = deployment('kube-system', 'coredns', { labels: { 'k8s-app': 'kube-dns' } });

/** A sandbox behind a door that hides Argo CD for as long as it is not installed. */
async function clusterThat(isInstalled: () => boolean) {
  const platform = platformFrom(join(root, 'platforms/hello'));
  const sandbox = createSandbox({ platform, time: scaledTime(200) });
  for (const object of [node('one'), node('two'), node('three'), dns]) {
    const type = sandbox.types.byKind(object.apiVersion, object.kind);
    if (type === undefined) throw new Error(`the sandbox has no ${object.kind}`);
    sandbox.store.create(type, object, 'test');
  }
  const writes: string[] = [];
  const handle: Handler = (request) => {
    if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
    const hidden = { ...request, path: '/apis/nothing.example.com/v1' };
    return sandbox.handle(!isInstalled() && request.path.startsWith('/apis/argoproj.io') ? hidden : request);
  };
  const server = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
  return {
    url: server.url,
    writes,
    async close() {
      sandbox.stop();
      await server.close();
    },
  };
}

/** A kubeconfig for this address, as the variable KUBECONFIG_DATA takes it. */
export function kubeconfigData(url: string): string {
  const other = { name: 'other', user: { token: 'somebody-else' } };
  const kubeconfig = {
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: { token } }, other],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return Buffer.from(JSON.stringify(kubeconfig)).toString('base64');
}

/** What a role tells that goes well. */
export function roleGoes(role: string, result: object = { status: 'success', changed: true }): readonly object[] {
  return [
    { event: 'role-started', role, at: '2026-01-01T00:00:00.000Z' },
    { event: 'phase', role, phase: 'apply', task: 'Install the chart' },
    { event: 'phase', role, phase: 'validate', task: 'Wait until it is ready' },
    { event: 'role-result', role, seconds: 1, ...result },
  ];
}

/** All of them, well. */
export const allRoles: readonly object[] = bootstrapRoles.flatMap(({ name }) => roleGoes(name));

function startProgram(folder: string, args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const child = spawn(process.execPath, [join(folder, 'bin', 'tiphys'), ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { said, ended, until } = listenTo(child);
  return {
    said,
    ended: ended.then(({ exitCode }) => exitCode),
    kill: (signal) => void child.kill(signal),
    until: async (pattern) => void (await until(pattern)),
  };
}

function write(where: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(where, path)), { recursive: true });
    writeFileSync(join(where, path), text);
  }
}

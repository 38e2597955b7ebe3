import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient, type KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { writesOf as writesBy } from '../../testbed/audit/writes-of.ts';
import { kubeconfigOf, writeKubeconfig } from '../../testbed/cluster/kubeconfigs.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { publishInto } from '../../testbed/world/publish-into.ts';
import {
  type Application,
  auditSince,
  type Brought,
  brought,
  broughtToRest,
  canBootstrap,
  heldWhenCreated,
  helmRevisions,
  tiphysOn,
  tiphysToItsEnd,
  whyNot,
  writesOf,
} from './bootstrap-run.ts';
import { argo, helmFolder, known, testbed } from './empty-bed.ts';
import { type GitServer, serveGit, writeBehind } from './git-behind-password.ts';
import { buildProgram } from './program.ts';
import { userOf } from './roles.ts';
import type { Ended } from './testbed.ts';
import { eventually } from './waiting.ts';

const name = 'real-credentials';
const folder = 'platforms/hello';
const username = 'reader';
const webPath = `${argo}/argocd/applications/web`;
const secretPath = '/api/v1/namespaces/argocd/secrets/tiphys-hello-git';
const minutes = (count: number): number => count * 60_000;

// What a person keeps outside of the cluster, the platform's files in Git and the credentials, is all that a new cluster needs.
// One after the other: each begins where the one before has ended.
describe.runIf(canBootstrap).sequential(`a bootstrap with a person’s credentials${whyNot}`, () => {
  const desk = join(tmpdir(), `tiphys-desk-${randomUUID().slice(0, 8)}`);
  const credentials = join(desk, 'git-credentials');
  const vars = join(desk, 'vars.yml');
  const account = join(desk, 'account.kubeconfig');
  const scratch = join(desk, 'tmp');
  const snapshot = join(desk, 'before.json');
  let state: TestbedState;
  let program: string;
  let platform: Platform;
  let git: GitServer;
  let client: KubeClient;
  let close: () => void = () => undefined;
  let before: Brought;

  /** What our program does on this testbed, with the same inputs every time. */
  function tiphys(...args: readonly string[]): Promise<Ended> {
    const inputs = { GIT_URL: git.url, GIT_CREDENTIALS: credentials, BOOTSTRAP_VARS: vars };
    return tiphysToItsEnd(state, { program, args, env: { ...inputs, TMPDIR: scratch, LOG_LEVEL: 'debug' } });
  }

  async function emptyCluster(how: 'up' | 'reset'): Promise<void> {
    close();
    await testbed(how, name, '--empty');
    state = known(name);
    // Not as the person: whose writes are counted is our program alone.
    ({ client, close } = await openTestbed(state, 'kubelet'));
    ({ platform } = await publishInto(state, folder));
  }

  beforeAll(async () => {
    mkdirSync(desk, { mode: 0o700 });
    mkdirSync(scratch);
    program = await buildProgram(name);
    await testbed('down', name, '--delete');
    git = await serveGit(join(desk, 'git'), { username, password: newPassword() });
    await emptyCluster('up');
    await writeBehind(git, state, platform);
    const { host } = new URL(git.url);
    const line = `http://${username}:${encodeURIComponent(git.password)}@${host}\n`;
    writeFileSync(credentials, line, { mode: 0o600 });
    // Where Argo CD hands the password to git; otherwise all repo servers of a machine have the same place for it.
    const socket = { name: 'ARGOCD_ASK_PASS_SOCK', value: join(desk, 'ask-pass.sock') };
    writeFileSync(vars, JSON.stringify({ argocd_values: { repoServer: { env: [socket] } } }));
    await takeSnapshot();
  }, minutes(6));

  afterAll(async () => {
    close();
    git?.close();
    await testbed('down', name, '--delete');
    rmSync(desk, { recursive: true, force: true });
  }, minutes(2));

  it(
    'deploys from a repository that nobody reads without them, and shows them to nobody (R4.1, R7.5)',
    async () => {
      const traces = tracesOf(git.password);
      const watch = watchProcesses(traces);
      const { exitCode, report, events, err } = await tiphys('deploy', folder).finally(watch.end);
      expect([exitCode, report.failures], err).toEqual([0, []]);
      before = await broughtToRest(client);
      const words = Object.values(before.applications).map(({ is }) => is);
      expect(words).toEqual(Array(4 + 2 + 1).fill('Synced Healthy'));
      const told = { err, report: JSON.stringify(report), events: JSON.stringify(events), ...logsOf(state) };
      const places = Object.entries(told).filter(([, text]) => traces.some((trace) => text.includes(trace)));
      expect(places.map(([place]) => place)).toEqual([]);
      expect(watch.leaks).toEqual([]);
      // It has looked, and at everybody.
      expect([...watch.programs]).toEqual(expect.arrayContaining(['ansible-playbook', 'helm', 'git']));
      expect(err).toContain('ansible: ');
      // Ansible's list of the kinds that a cluster serves; nothing else stays.
      expect(readdirSync(scratch).filter((left) => !/^k8srcp-\w+\.json$/.test(left))).toEqual([]);
    },
    minutes(10),
  );

  it('gives them to Argo CD as a repository Secret, and to Git only for reading (R3.6, R6.4)', async () => {
    expect(await client.get(secretPath)).toMatchObject({
      metadata: { labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
      data: encoded({ type: 'git', url: git.url, username, password: git.password }),
    });
    expect(git.read.length).toBeGreaterThan(0);
    expect(git.read.filter((address) => !/git-upload-pack/.test(address))).toEqual([]);
  });

  it(
    'leaves an account that may deploy with a token that ends, and may not look into Secrets or delete (R3.6)',
    async () => {
      await askForToken();
      const since = Date.now();
      const { exitCode, err } = await tiphys('deploy', folder, '--kubeconfig', account);
      expect([exitCode, writesBy(await auditSince(state, since), userOf('deploy'))], err).toEqual([0, []]);
      expect(await answerTo('GET', webPath)).toBe(200);
      expect(await answerTo('GET', secretPath)).toBe(403);
      expect(await answerTo('DELETE', `${argo}/argocd/applications/nobody`)).toBe(403);
      expect(await answerTo('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings')).toBe(403);
    },
    minutes(4),
  );

  it(
    'changes the Secret, and makes old tokens worthless, when the file has changed and the account was deleted (R3.6)',
    async () => {
      const helm = await helmRevisions(client);
      git.password = newPassword();
      writeFileSync(credentials, `username: ${username}\npassword: ${git.password}\n`);
      await client.delete('/api/v1/namespaces/argocd/serviceaccounts/tiphys-deploy');
      const since = Date.now();
      const { exitCode, report, err } = await tiphys('bootstrap', folder);
      const changed = report.nodes.filter((node) => node.state !== 'skipped').map((node) => node.name);
      expect([exitCode, changed], err).toEqual([0, ['gitops-handoff']]);
      const keys = [...new Set((await writesOf(state, since)).map(({ key }) => key))];
      expect(keys).toContain('serviceaccounts argocd/tiphys-deploy');
      const accounts = /^(serviceaccounts|(cluster)?role(binding)?s\S*) (argocd\/)?tiphys-(deploy|validate)$/;
      expect(keys.filter((key) => !accounts.test(key))).toEqual(['secrets argocd/tiphys-hello-git']);
      expect(await helmRevisions(client)).toEqual(helm);
      expect(err).not.toContain(git.password);
      await eventually('the old token is worth nothing', async () => (await answerTo('GET', webPath)) === 401);
      await askForToken();
      expect(await answerTo('GET', webPath)).toBe(200);
      await readAgain();
    },
    minutes(4),
  );

  it(
    'brings the root back when the platform was torn down, held, and everything as it was (R6.4)',
    async () => {
      const all = ['--include-stateful', '--include-crds', '--pv-policy', 'delete', '--compare', snapshot];
      const down = await tiphys('teardown', folder, '--confirm', 'hello', ...all);
      expect([down.exitCode, down.report.orphans], down.err).toEqual([0, []]);
      // What is there beyond the empty cluster is what the bootstrap brought, and all of it is known as that (R3.5).
      const { bootstrap = [], others = [] } = down.report.comparison ?? {};
      const charts = ['ConfigMap argocd/argocd-cm', 'StatefulSet.apps argocd/argocd-application-controller'];
      expect(bootstrap).toEqual(expect.arrayContaining([...charts, 'Namespace sealed-secrets']));
      // The testbed plays the bus.
      expect(others.filter((object) => !object.startsWith('Stage.kwok.x-k8s.io '))).toEqual([]);
      expect((await brought(client)).applications).toEqual({});
      const again = await tiphys('deploy', folder);
      expect([again.exitCode, again.report.failures], again.err).toEqual([0, []]);
      expect(await broughtToRest(client)).toEqual(before);
      expect(heldWhenCreated(await auditSince(state, 0), platform)).toEqual([true, true]);
    },
    minutes(6),
  );

  it(
    'brings the same platform to a new cluster when the old one is lost: same command, same inputs (RFC 4.10, scenario 5)',
    async () => {
      await emptyCluster('reset');
      const { exitCode, report, err } = await tiphys('deploy', folder);
      expect([exitCode, report.failures, report.bootstrap?.outcome], err).toEqual([0, [], 'success']);
      expect(await broughtToRest(client)).toEqual(before);
      const secret = await client.get(secretPath);
      expect(secret).toMatchObject({ data: encoded({ password: git.password }) });
    },
    minutes(10),
  );

  /** Of the cluster as it is, by a preflight that asks nobody but the Git server. */
  async function takeSnapshot(): Promise<void> {
    const copy = join(desk, 'platform');
    cpSync(folder, copy, { recursive: true });
    appendFileSync(join(copy, 'environment.yaml'), `\npreflight: { registries: ["${new URL(git.url).origin}"] }\n`);
    const args = ['preflight', copy, '--charts', state.charts ?? '', '-o', 'json', '--out', snapshot];
    await tiphysOn(state, { program, args, env: { GIT_URL: git.url, GIT_CREDENTIALS: credentials, TMPDIR: scratch } })
      .ended;
  }

  /** As docs/guides/first-deployment.md says. */
  async function askForToken(): Promise<void> {
    const words = ['-n', 'argocd', 'create', 'token', 'tiphys-deploy', '--duration', '1h'];
    const path = [helmFolder ?? '', process.env['PATH'] ?? ''].join(delimiter);
    const env = { PATH: path, KUBECONFIG: kubeconfigOf(state, 'admin') };
    const { stdout } = await promisify(execFile)('kubectl', words, { env });
    writeKubeconfig(account, state, { token: stdout.trim() });
  }

  /** What the API server says to who has the account's token. */
  async function answerTo(method: string, path: string): Promise<number> {
    const transport = httpsTransport(await connect({ path: account }));
    const asked = createClient(transport, { clock: systemClock }).raw(method, path);
    return (await asked.finally(() => transport.close())).status;
  }

  /** Argo CD looks at everything anew, and is let in. */
  async function readAgain(): Promise<void> {
    const path = `${argo}/argocd/applications/hello-root`;
    const reads = git.read.length;
    await client.mergePatch(path, { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } });
    await eventually('the root was compared with what Git says now', async () => {
      const root = await client.get<Application & { metadata: { annotations?: object } }>(path);
      const isOver = !('argocd.argoproj.io/refresh' in (root?.metadata.annotations ?? {}));
      return isOver && root?.status?.sync?.status === 'Synced' && git.read.length > reads;
    });
  }
});

const newPassword = (): string => `rose/${randomUUID()}`;

function encoded(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)]));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Every form in which somebody might find it. */
function tracesOf(password: string): readonly string[] {
  return [password, encodeURIComponent(password), base64(password), base64(`${username}:${password}`)];
}

/** What the cluster's processes have written down, the audit log included. */
function logsOf({ folder: home }: TestbedState): Record<string, string> {
  const logs = readdirSync(join(home, 'log'), { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...logs.map((entry) => join(home, 'log', entry.name)), join(home, 'audit.log')];
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** Looks again and again into the arguments and variables of every process on this machine that it may look into. */
function watchProcesses(traces: readonly string[]) {
  const leaks: string[] = [];
  const programs = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const words = readIfThere(`/proc/${pid}/cmdline`);
      for (const word of words.split('\0').slice(0, 3)) programs.add(basename(word));
      const variables = readIfThere(`/proc/${pid}/environ`);
      const isLeak = traces.some((trace) => words.includes(trace) || variables.includes(trace));
      if (isLeak) leaks.push(words.replaceAll('\0', ' '));
    }
  };
  const timer = setInterval(look, 100);
  return { leaks, programs, end: () => clearInterval(timer) };
}

/** Processes come and go, and some are somebody else's. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

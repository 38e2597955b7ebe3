import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { readAudit } from '../../testbed/audit/read-audit.ts';
import { isRunning } from '../../testbed/cluster/processes.ts';
import type { StartedProcess, TestbedState } from '../../testbed/cluster/state.ts';
import { readRecord } from '../../testbed/kubelet/record.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import {
  argo,
  helm,
  helmFolder,
  known,
  type Named,
  notRunning,
  pids,
  processesIn,
  readyOf,
  succeededWorkflow,
  syncedApplication,
  testbed,
} from './empty-bed.ts';
import { eventually } from './waiting.ts';

const name = 'real-empty';
const neighbour = 'real-empty-too';
const patience = 400_000;
const why = helmFolder === undefined ? ' (skipped: helm is neither in TIPHYS_TESTBED_BIN nor in PATH)' : '';
const argocdParts = [
  'argocd-application-controller',
  'argocd-applicationset-controller',
  'argocd-repo-server',
  'argocd-server',
  'redis',
];
const argocdValues = ['--set', 'dex.enabled=false,notifications.enabled=false'];
const workflowsValues = [
  '--set',
  'crds.full=false,server.enabled=false',
  '--set-json',
  'controller.extraEnv=[{"name":"DEFAULT_REQUEUE_TIME","value":"100ms"}]',
];

// One after the other: each begins where the one before has ended.
describe.runIf(helmFolder !== undefined).sequential(`an empty testbed${why}`, () => {
  let state: TestbedState;
  let client: KubeClient;
  let close: () => void = () => undefined;

  beforeAll(async () => {
    for (const one of [name, neighbour]) await testbed('down', one, '--delete');
    await testbed('up', name, '--empty');
    state = known(name);
    ({ client, close } = await openTestbed(state));
  }, patience);

  afterAll(async () => {
    close();
    for (const one of [name, neighbour]) await testbed('down', one, '--delete');
  }, patience);

  it('has nodes and a storage class, nothing of Argo, and tells where charts and Git are', async () => {
    expect(Object.keys(state.processes).sort()).toEqual(
      [
        ...['etcd', 'fakes', 'kube-apiserver', 'kube-controller-manager'],
        ...['kube-scheduler', 'kubelet-part', 'kwok'],
      ].sort(),
    );
    const names = async (path: string) => (await client.list<Named>(path)).items.map(({ metadata }) => metadata.name);
    const nodes = (await client.list<Named & { spec: { taints?: unknown } }>('/api/v1/nodes')).items;
    expect(nodes.map(({ spec }) => spec.taints)).toEqual([undefined, undefined, undefined]);
    expect(await names('/apis/storage.k8s.io/v1/storageclasses')).toEqual(['standard']);
    expect(await names('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).toEqual(['stages.kwok.x-k8s.io']);
    expect((await names('/api/v1/namespaces')).filter((one) => one.startsWith('argo'))).toEqual([]);
    const stdout = await testbed('env', name);
    expect(stdout).toContain(`export GIT_URL='file://${state.folder}/repo'\n`);
    const charts = /^export CHARTS='(.*)'$/m.exec(stdout)?.[1] ?? '';
    expect(readdirSync(charts).sort()).toEqual(['argo-cd', 'argo-events', 'argo-workflows', 'sealed-secrets']);
  });

  it(
    'runs Argo CD when its chart comes: the Job makes the Redis password, and pods are Ready when their process answers',
    async () => {
      await helm(state, 'install', 'argo-cd', ...argocdValues);
      expect(Object.keys(readRecord(state.folder)).sort()).toEqual(argocdParts);
      expect(notRunning(state)).toEqual([]);
      const secret = await client.get<{ data: { auth: string } }>('/api/v1/namespaces/argocd/secrets/argocd-redis');
      const password = Buffer.from(secret?.data.auth ?? '', 'base64').toString();
      expect(password).toMatch(/^.{8,}$/);
      const words = processesIn(state.folder).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      expect(words.filter((line) => line.includes(password))).toEqual([]);
    },
    patience,
  );

  it('lets Argo CD make its default project by itself, each part with its own ServiceAccount’s rights', async () => {
    const project = await eventually('Argo CD has made its default project', () =>
      client.get(`${argo}/argocd/appprojects/default`),
    );
    expect(project).toMatchObject({ spec: { sourceRepos: ['*'] } });
    const users = new Set(readAudit(join(state.folder, 'audit.log'), 0).map(({ user }) => user));
    expect([...users].filter((user) => user.startsWith('system:serviceaccount:argocd:')).sort()).toEqual(
      expect.arrayContaining([
        'system:serviceaccount:argocd:argocd-redis-secret-init',
        'system:serviceaccount:argocd:argocd-server',
      ]),
    );
    for (const file of readdirSync(join(state.folder, 'kubelet')))
      expect([file, statSync(join(state.folder, 'kubelet', file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it(
    'syncs an Application from Git',
    async () => {
      await syncedApplication(state, client, 'first');
      const entry = readAudit(join(state.folder, 'audit.log'), 0).find((one) => one.name === 'first-map');
      expect(entry?.user).toBe('system:serviceaccount:argocd:argocd-application-controller');
    },
    patience,
  );

  it(
    'runs the Workflows controller when its chart comes, and a Workflow succeeds',
    async () => {
      await helm(state, 'install', 'argo-workflows', ...workflowsValues);
      await succeededWorkflow(client);
    },
    patience,
  );

  it(
    'deploys an EventBus, whose operator is one of kwok’s pods',
    async () => {
      await helm(state, 'install', 'argo-events');
      const bus = { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventBus', metadata: { name: 'default' } };
      const path = `${argo}/argo-events/eventbus`;
      await client.create(path, { ...bus, spec: { jetstream: { version: 'latest' } } });
      await eventually('the EventBus is deployed', async () => {
        const found = await client.get<{ status?: { conditions?: { type: string; status: string }[] } }>(
          `${path}/default`,
        );
        return found?.status?.conditions?.some(({ type, status }) => type === 'Deployed' && status === 'True');
      });
    },
    patience,
  );

  it(
    'starts a part again with what its chart says now, and only that part',
    async () => {
      const before = pids(state);
      await helm(
        state,
        'upgrade',
        'argo-cd',
        ...argocdValues,
        '--set',
        'repoServer.env[0].name=WORD,repoServer.env[0].value=changed',
      );
      const after = pids(state);
      expect(Object.keys(after).filter((part) => after[part] !== before[part])).toEqual(['argocd-repo-server']);
      expect(readFileSync(`/proc/${after['argocd-repo-server']}/environ`, 'utf8')).toContain('WORD=changed\0');
      await syncedApplication(state, client, 'second');
    },
    patience,
  );

  it(
    'has no Ready pod of a part that does not answer, and starts the part again',
    async () => {
      const before = pids(state)['argocd-server'] ?? 0;
      process.kill(before, 'SIGSTOP');
      await eventually('the pod is not Ready', async () => (await readyOf(client, 'server')).every((ready) => !ready));
      process.kill(before, 'SIGKILL');
      await eventually(
        'the pod is Ready again',
        async () => (await readyOf(client, 'server')).every(Boolean) && pids(state)['argocd-server'] !== before,
        60_000,
      );
    },
    patience,
  );

  it(
    'keeps what runs when the part of the kubelet was killed, and when up is asked again',
    async () => {
      const before = pids(state);
      const kubelet = known(name).processes['kubelet-part'] as StartedProcess;
      process.kill(kubelet.pid, 'SIGKILL');
      await eventually('it is gone', async () => !isRunning(kubelet));
      expect(await testbed('up', name)).toContain('started 1 processes');
      expect(await testbed('up', name)).toContain('was up already');
      expect(pids(state)).toEqual(before);
      await syncedApplication(state, client, 'third');
    },
    patience,
  );

  it(
    'has a second one beside it with the same charts, and neither takes the other’s ports',
    async () => {
      await testbed('up', neighbour, '--empty');
      const beside = known(neighbour);
      await helm(beside, 'install', 'argo-workflows', ...workflowsValues);
      const { client: other, close: leave } = await openTestbed(beside);
      await succeededWorkflow(other).finally(leave);
      await succeededWorkflow(client);
      expect(notRunning(state)).toEqual([]);
      expect(await testbed('down', neighbour)).toContain('kubelet/workflow-controller');
      expect(processesIn(beside.folder)).toEqual([]);
    },
    patience,
  );

  it(
    'is as it was after down and up',
    async () => {
      await testbed('down', name);
      expect(processesIn(state.folder)).toEqual([]);
      await testbed('up', name);
      expect(Object.keys(readRecord(state.folder)).sort()).toEqual([...argocdParts, 'workflow-controller'].sort());
      expect(notRunning(state)).toEqual([]);
      await syncedApplication(state, client, 'fourth');
    },
    patience,
  );

  it(
    'ends the processes of a chart that is taken away, and those only',
    async () => {
      await helm(state, 'uninstall', 'argo-cd');
      await eventually(
        'Argo CD’s processes have ended',
        async () => Object.keys(readRecord(state.folder)).length === 1,
      );
      expect([Object.keys(readRecord(state.folder)), notRunning(state)]).toEqual([['workflow-controller'], []]);
      await eventually('its pods are gone', async () => (await readyOf(client, 'server')).length === 0);
    },
    patience,
  );

  it(
    'publishes to Git only, and is empty again after a reset',
    async () => {
      expect(await testbed('publish', name, 'platforms/hello')).toContain('a bootstrap creates the root Application');
      await testbed('reset', name);
      expect(known(name).empty).toBe(true);
      expect(readRecord(state.folder)).toEqual({});
      await testbed('down', name, '--delete');
      expect(processesIn(state.folder)).toEqual([]);
    },
    patience,
  );
});

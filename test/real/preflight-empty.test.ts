import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopbackCertificate } from '../../src/adapters/kubernetes/testing/loopback-certificate.ts';
import {
  deployment,
  kubeconfigTrusting,
  kubeconfigWith,
  type PreflightBed,
  preflightBed,
  tokenFor,
} from './preflight-bed.ts';
import { eventually } from './waiting.ts';

const patience = 400_000;
const seconds = 60_000;

// One cluster for all of them, empty until the last one leaves something in it.
describe.sequential('preflight on an empty cluster', () => {
  let on: PreflightBed;

  beforeAll(async () => {
    on = await preflightBed('real-preflight-empty');
  }, patience);

  afterAll(() => on?.close(), patience);

  it(
    'asks only the mirrors of an air-gapped environment, is ready with them, and writes nothing (R3.4)',
    async () => {
      const { exitCode, report, check, written } = await on.look();
      expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(exitCode).toBe(0);
      expect(report.connectivity.map(({ address }) => address).sort()).toEqual([
        `${on.mirror.url}/platform.git/info/refs?service=git-upload-pack`,
        `${on.mirror.url}/v2/`,
      ]);
      expect(on.mirror.asked).toEqual(expect.arrayContaining(['/v2/']));
      expect(on.proxy.asked).toEqual([]);
      for (const id of ['leftovers', 'helm-releases', 'sealed-secrets-key']) expect(check(id)?.verdict).toBe('pass');
      expect(written).toEqual([]);
    },
    seconds,
  );

  it(
    'would have asked the public names without mirrors, and says for each what to do',
    async () => {
      const words = ['--git-repository', `${on.mirror.url}/platform.git`];
      const { exitCode, report, about, written } = await on.look({ section: '{}', words });
      expect(exitCode).toBe(1);
      expect(on.proxy.asked).toEqual(expect.arrayContaining(['quay.io:443', 'registry-1.docker.io:443']));
      expect(about('registry quay.io')).toMatchObject({ verdict: 'fail', fix: expect.any(String) as string });
      const away = report.connectivity.filter(({ verdict }) => verdict === 'fail');
      expect(away.length).toBeGreaterThan(3);
      expect(written).toEqual([]);
    },
    seconds,
  );

  it(
    'exits 3 and names every tool with where to get it when PATH has none, and looks at the rest (R3.4)',
    async () => {
      const nothing = join(on.folder, 'nothing');
      mkdirSync(nothing);
      const { exitCode, check, about, written } = await on.look({ path: nothing });
      expect(exitCode).toBe(3);
      const tools = check('tools')?.findings ?? [];
      expect(tools.map((tool) => tool.about)).toEqual(['ansible-playbook', 'kubectl', 'helm', 'kubeseal', 'jq', 'yq']);
      for (const { about: tool, verdict, saw, fix } of tools)
        expect([tool, verdict, saw, fix]).toEqual([
          tool,
          'fail',
          expect.stringContaining('not found in PATH'),
          expect.stringContaining('nstall'),
        ]);
      expect(about('API server')?.verdict).toBe('pass');
      expect(check('nodes')?.verdict).toBe('pass');
      expect(written).toEqual([]);
    },
    seconds,
  );

  it(
    'says once that no cluster answers, where it looked, and looks at the rest',
    async () => {
      const port = await closedPort();
      const { exitCode, report, about } = await on.look({ kubeconfig: kubeconfigWith(on, 'any', port) });
      expect(exitCode).toBe(1);
      expect(about('API server')).toMatchObject({
        verdict: 'fail',
        saw: expect.stringContaining('ECONNREFUSED') as string,
        fix: expect.stringContaining(`https://127.0.0.1:${port}`) as string,
      });
      const ofCluster = report.checks.filter(({ area }) => area !== 'tools' && area !== 'connectivity');
      const failures = ofCluster.flatMap(({ findings }) => findings).filter(({ verdict }) => verdict === 'fail');
      expect(failures.map((finding) => finding.about)).toEqual(['API server']);
      expect(about('Nodes')).toMatchObject({ looked: false });
      expect(about('Git')?.verdict).toBe('pass');
      expect(report.snapshot).toBeUndefined();
    },
    seconds,
  );

  it(
    'tells credentials that have run out, or never were any, from those that hold; and repeats none (R7.5)',
    async () => {
      const good = await on.look({ kubeconfig: kubeconfigWith(on, await tokenFor(on, 600)) });
      expect(good.about('kubeconfig')?.saw).toBe('accepted as system:serviceaccount:default:default');
      for (const token of ['planted-garbage', await tokenFor(on, -60)]) {
        const { exitCode, about, said, written } = await on.look({ kubeconfig: kubeconfigWith(on, token) });
        expect(exitCode).toBe(1);
        expect(about('kubeconfig')).toMatchObject({
          verdict: 'fail',
          saw: 'the cluster refuses the credentials (401)',
          fix: expect.stringContaining('Get new ones') as string,
        });
        expect(about('Nodes')).toMatchObject({ looked: false });
        expect(said).not.toContain(token);
        expect(written).toEqual([]);
      }
    },
    seconds,
  );

  it(
    'does not talk to a server that the kubeconfig’s authority has not signed',
    async () => {
      const { exitCode, about, written } = await on.look({ kubeconfig: kubeconfigTrusting(on, loopbackCertificate) });
      expect(exitCode).toBe(1);
      expect(about('API server')).toMatchObject({
        verdict: 'fail',
        saw: expect.stringContaining('a certificate that the kubeconfig does not trust') as string,
        fix: expect.stringContaining('certificate-authority') as string,
      });
      expect(about('kubeconfig')?.verdict).not.toBe('pass');
      expect(written).toEqual([]);
    },
    seconds,
  );

  it(
    'names each leftover of an earlier installation with what to do, and touches none (R3.4)',
    async () => {
      await leaveThings(on);
      const { exitCode, about, said, written } = await on.look();
      expect(exitCode).toBe(1);
      const left = (what: string) => `${about(what)?.verdict}: ${about(what)?.saw} → ${about(what)?.fix}`;
      expect(left('Helm release argocd/argocd')).toMatch(/^fail: .*failed → .*`helm uninstall argocd -n argocd`/);
      expect(left('Argo CD')).toMatch(/^warn: .*its namespace argocd is → .*`kubectl delete namespace argocd`/);
      expect(left('definitions of Argo')).toMatch(/^warn: .*→ .*`kubectl delete crd applications.argoproj.io`/);
      expect(left('Argo Workflows')).toMatch(/^fail: its namespace argo is being deleted → .*what holds it up/);
      expect(left('Argo Events')).toMatch(/^fail: left in argo-events and not running: controller-manager → .*helm/);
      expect(left('sealed-secrets')).toMatch(/^fail: keys .*left in sealed-secrets \(1 key\) → Keep a copy/);
      expect(left('namespace data')).toMatch(/^fail: left by a teardown of hello .*→ .*--confirm hello/);
      expect(left('namespace web')).toMatch(/^warn: has the name of an app.*→ .*kubectl delete namespace web/);
      expect(said).not.toContain(planted);
      expect(written).toEqual([]);
    },
    seconds,
  );
});

const planted = Buffer.from('planted-secret').toString('base64');

/** One of each kind that an installation leaves when it was taken away by hand, or only half. */
async function leaveThings({ client }: PreflightBed): Promise<void> {
  const create = (path: string, object: object) => client.create(path, object);
  const marked = { data: { 'tiphys.dev/platform': 'hello' } } as Record<string, Record<string, string>>;
  for (const name of ['argocd', 'argo', 'argo-events', 'sealed-secrets', 'data', 'web']) {
    const metadata = { name, labels: marked[name] ?? {} };
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  const secret = (namespace: string, name: string, labels: Record<string, string>) =>
    create(`/api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels },
      data: { it: planted },
    });
  const release = { owner: 'helm', name: 'argocd', status: 'failed', version: '1' };
  await secret('argocd', 'sh.helm.release.v1.argocd.v1', release);
  const key = { 'sealedsecrets.bitnami.com/sealed-secrets-key': 'active' };
  await secret('sealed-secrets', 'sealed-secrets-key1', key);
  await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', applicationDefinition);
  const labels = { 'app.kubernetes.io/part-of': 'argo-events' };
  const nowhere = { 'kubernetes.io/hostname': 'no-such-node' };
  const dead = deployment('argo-events', 'controller-manager', labels, nowhere);
  await create('/apis/apps/v1/namespaces/argo-events/deployments', dead);
  const stuck = { name: 'stuck', finalizers: ['example.com/never-removed'] };
  await create('/api/v1/namespaces/argo/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: stuck });
  await client.delete('/api/v1/namespaces/argo');
  await eventually('the namespace argo is on its way out', async () => {
    const found = await client.get<{ status?: { phase?: string } }>('/api/v1/namespaces/argo');
    return found?.status?.phase === 'Terminating';
  });
}

const applicationDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'applications.argoproj.io' },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: { plural: 'applications', singular: 'application', kind: 'Application' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Where nobody listens: somebody has just left. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

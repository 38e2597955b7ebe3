import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { probePod } from '../../src/core/preflight/pod-probe.ts';
import { administrator, type Identities } from '../../src/sandbox/api/identities.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { deployment, kubeconfigText, type PreflightBench, preflightBench } from './preflight-bench.ts';
import { standIn } from './preflight-tools.ts';

let bench: PreflightBench;
afterEach(() => bench.close());

async function open(identities?: Identities): Promise<PreflightBench> {
  bench = await preflightBench(identities);
  return bench;
}

describe('preflight on a machine and a cluster that are ready', () => {
  it('passes everything it looks at, writes nothing, and says what it has not looked at (R3.4)', async () => {
    const on = await open();
    const { exitCode, report } = await on.run();
    expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect([exitCode, report.outcome]).toEqual([0, 'warnings']);
    const unlooked = report.checks.flatMap(({ findings }) => findings.filter(({ looked }) => looked === false));
    expect(unlooked.map(({ about }) => about).sort()).toEqual(['DNS provider', 'inside the cluster']);
    expect(on.requests.filter(({ write }) => write)).toEqual([]);
  });

  it('has the inventory, the snapshot and the credentials in its report (R3.5)', async () => {
    const { report, about } = await (await open()).run();
    expect(report.inventory).toMatchObject({ version: 'v1.34.11', total: { cpu: 48 }, definitions: [] });
    expect(report.inventory.nodes.map(({ name, takesPods }) => [name, takesPods])).toEqual([
      ['one', true],
      ['three', true],
      ['two', true],
    ]);
    expect(report.snapshot?.objects).toContain('Deployment.apps kube-system/coredns');
    expect(report.snapshot?.unread).toEqual([]);
    expect(about('kubeconfig')?.saw).toBe('accepted as kubernetes-admin');
    expect(about('Git')?.saw).toContain('lets us read main');
  });

  it('speaks text, Markdown and HTML, and writes into a file', async () => {
    const on = await open();
    await on.run();
    const text = await on.tell([]);
    expect(text.out).toMatch(/^! preflight hello: ready, with warnings/);
    expect(text.out).toContain('Nodes');
    expect((await on.tell(['-o', 'markdown'])).out).toContain('## Connectivity');
    const file = join(on.folder, 'report.html');
    expect((await on.tell(['--out', file])).err).toContain('wrote');
    expect(readFileSync(file, 'utf8')).toContain('<h2>Snapshot</h2>');
  });

  it('compares with an earlier snapshot and names what has been added', async () => {
    const on = await open();
    const { out } = await on.run();
    const before = join(on.folder, 'before.json');
    writeFileSync(before, out);
    on.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'forgotten' } });
    // A look from inside, of this preflight or another: gone in a moment.
    const look = { name: 'tiphys-preflight-1', namespace: 'default', image: 'i', urls: [] };
    on.put(probePod(look) as KubeObject);
    const { about, report } = await on.run({ args: ['--compare', before] });
    expect(about('Namespace forgotten')).toMatchObject({
      verdict: 'warn',
      saw: expect.stringContaining('was not there'),
    });
    const news = report.checks.find(({ id }) => id === 'snapshot')?.findings.map((finding) => finding.about);
    expect(news).toEqual(['snapshot', 'Namespace forgotten']);
    expect((await on.tell(['--compare', join(on.folder, 'nowhere.json')])).exitCode).toBe(3);
  });
});

describe('preflight on a machine that is not ready', () => {
  it('exits 3 and names every tool when PATH has none of them', async () => {
    const on = await open();
    const { exitCode, report } = await on.run({ env: { PATH: join(on.folder, 'charts') } });
    expect(exitCode).toBe(3);
    const missing = report.checks.find(({ id }) => id === 'tools')?.findings ?? [];
    expect(missing.map(({ about }) => about)).toEqual(['ansible-playbook', 'kubectl', 'helm', 'kubeseal', 'jq', 'yq']);
    expect(missing.every(({ verdict, fix }) => verdict === 'fail' && fix !== undefined)).toBe(true);
    expect(report.checks.find(({ id }) => id === 'nodes')?.verdict).toBe('pass');
  });

  it('exits 3 when a tool is too old, is another program, or Ansible lacks a package or a collection', async () => {
    const on = await open();
    const bin = join(on.folder, 'bin');
    standIn(bin, 'helm', 'v3.9.4+gdbc6d8e');
    standIn(bin, 'yq', 'yq 3.1.0');
    standIn(bin, 'python3', '{"kubernetes": "34.1.0", "pyyaml": "6.0.3", "openshift": "0.13.2"}');
    standIn(bin, 'ansible-galaxy', '{"/opt": {"kubernetes.core": {"version": "2.4.0"}}}');
    const { exitCode, about } = await on.run();
    expect(exitCode).toBe(3);
    expect(about('helm')?.saw).toContain('3.9.4+gdbc6d8e is too old');
    expect(about('yq')?.saw).toContain('another program of the same name');
    expect(about('jsonpatch')?.verdict).toBe('fail');
    expect(about('kubernetes.core')?.saw).toContain('2.4.0 is too old');
    expect(about('ansible.utils')?.saw).toContain('not installed');
  });

  it('exits 3 also when the cluster is away', async () => {
    const on = await open();
    rmSync(join(on.folder, 'bin', 'jq'));
    writeFileSync(join(on.folder, 'kubeconfig'), kubeconfigText('http://127.0.0.1:1', 'right'));
    expect((await on.run()).exitCode).toBe(3);
  });
});

describe('preflight on a cluster that is not ready', () => {
  it('says once that the API server does not answer, and looks at the rest', async () => {
    const on = await open();
    writeFileSync(join(on.folder, 'kubeconfig'), kubeconfigText('http://127.0.0.1:1', 'right'));
    const { exitCode, report, about } = await on.run();
    expect(exitCode).toBe(1);
    expect(about('API server')).toMatchObject({ verdict: 'fail', fix: expect.stringContaining('http://127.0.0.1:1') });
    const failures = report.checks.filter(({ area }) => area === 'cluster').flatMap(({ findings }) => findings);
    expect(failures.filter(({ verdict }) => verdict === 'fail')).toHaveLength(1);
    expect(about('helm')?.verdict).toBe('pass');
    expect(about('Git')?.verdict).toBe('pass');
  });

  it('says where it looked for a kubeconfig that is not there', async () => {
    const on = await open();
    const { exitCode, about } = await on.run({ env: { KUBECONFIG: join(on.folder, 'nowhere') } });
    expect(exitCode).toBe(1);
    expect(about('API server')).toMatchObject({
      saw: expect.stringContaining('there is no kubeconfig at'),
      fix: expect.stringContaining('--kubeconfig'),
    });
  });

  it('says that the credentials are refused', async () => {
    const on = await open(new Map([['other', administrator]]));
    const { exitCode, about, out, err } = await on.run();
    expect(exitCode).toBe(1);
    expect(about('kubeconfig')).toMatchObject({ verdict: 'fail', saw: 'the cluster refuses the credentials (401)' });
    expect(about('Nodes')).toMatchObject({ looked: false });
    expect(out + err).not.toContain('Bearer');
  });

  it('names every right that a read-only identity lacks', async () => {
    const on = await open(new Map([['right', { user: 'reader', groups: [] }]]));
    grantReading(on);
    const { exitCode, report, about } = await on.run();
    expect(exitCode).toBe(1);
    expect(about('nodes')?.verdict).toBe('pass');
    expect(about('clusterroles.rbac.authorization.k8s.io')?.saw).toContain('reader may not create, patch, delete');
    expect(about('secrets in argo-events')?.fix).toContain('--user=reader');
    const rights = report.checks.find(({ id }) => id === 'permissions')?.findings ?? [];
    expect(rights.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(3);
    expect(on.requests.filter(({ write }) => write)).toEqual([]);
  });

  it('names each leftover with what to do (R3.4)', async () => {
    const on = await open();
    for (const name of ['argocd', 'web']) on.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const labels = { 'tiphys.dev/platform': 'hello' };
    on.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'data', labels } });
    on.put(deployment('argocd', 'argocd-server', { labels: { 'app.kubernetes.io/part-of': 'argocd' }, ready: 0 }));
    on.put(deployment('kube-system', 'sealed-secrets-controller'));
    const key = {
      name: 'sealed-secrets-key1',
      namespace: 'kube-system',
      labels: { 'sealedsecrets.bitnami.com/sealed-secrets-key': 'active' },
    };
    on.put({ apiVersion: 'v1', kind: 'Secret', metadata: key, data: { 'tls.key': 'cGxhbnRlZC1zZWNyZXQ=' } });
    const { exitCode, about, out } = await on.run();
    expect(exitCode).toBe(1);
    expect(about('Argo CD')).toMatchObject({ verdict: 'fail', fix: expect.stringContaining('--confirm hello') });
    expect(about('namespace data')).toMatchObject({ verdict: 'fail' });
    expect(about('namespace web')).toMatchObject({ verdict: 'warn' });
    expect(about('sealed-secrets')).toMatchObject({ verdict: 'fail', saw: expect.stringContaining('(1 key)') });
    expect(out).not.toContain('cGxhbnRlZC1zZWNyZXQ=');
    const kept = await on.run({ section: 'keepSealedSecretsKey: true' });
    expect(kept.about('sealed-secrets')?.verdict).toBe('warn');
  });

  it('warns of too few workers and too little room, and fails without DNS', async () => {
    const on = await open();
    const type = on.types.byKind('v1', 'Node');
    for (const name of ['two', 'three']) if (type !== undefined) on.store.remove(type, undefined, name, 'test');
    const deployments = on.types.byKind('apps/v1', 'Deployment');
    if (deployments !== undefined) on.store.remove(deployments, 'kube-system', 'coredns', 'test');
    const { about } = await on.run({ section: 'capacity: { cpu: 64 }' });
    expect(about('workers')?.verdict).toBe('warn');
    expect(about('CPU')).toMatchObject({ verdict: 'warn', saw: '16 of 16 cores are free, 64 wanted' });
    expect(about('CoreDNS')?.verdict).toBe('fail');
  });

  it('is refused for the sandbox, where there is nothing to look at', async () => {
    const on = await open();
    expect(await on.tell(['--sandbox'])).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('looks at a real cluster'),
    });
  });
});

describe('preflight and mounted secrets', () => {
  it('finds the credentials of the DNS provider where environment.yaml says', async () => {
    const on = await open();
    const section = 'secrets: { dns: dns }';
    expect((await on.run({ section })).about('DNS provider')).toMatchObject({
      verdict: 'fail',
      saw: expect.stringContaining('is not there'),
    });
    mkdirSync(join(on.folder, 'secrets', 'dns'));
    writeFileSync(join(on.folder, 'secrets', 'dns', 'api-token'), 'planted-secret');
    const { about, out } = await on.run({ section });
    expect(about('DNS provider')?.verdict).toBe('pass');
    expect(out).not.toContain('planted-secret');
  });
});

function grantReading(on: PreflightBench): void {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  on.put({ apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'reading' }, rules });
  on.put({
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reading' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reading' },
    subjects: [{ kind: 'User', name: 'reader' }],
  });
}

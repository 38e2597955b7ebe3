import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loopbackCertificate, loopbackKey } from '../../src/adapters/kubernetes/testing/loopback-certificate.ts';
import { loopbackProxy } from '../../src/adapters/network/loopback-proxy.fixture.ts';
import { type PreflightBench, preflightBench } from './preflight-bench.ts';

let bench: PreflightBench;
const servers: Server[] = [];
afterEach(async () => {
  await bench.close();
  for (const server of servers.splice(0)) {
    server.close();
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections();
  }
});

async function open(): Promise<PreflightBench> {
  bench = await preflightBench();
  return bench;
}

const mirror: RequestListener = (_, response) => response.end('{}');

describe('preflight and the ways out', () => {
  it('asks only the mirrors of an air-gapped environment, and is ready with them', async () => {
    const on = await open();
    const registry = await served(mirror);
    const { exitCode, report } = await on.run({ section: `registries: [${registry}], secrets: {}` });
    expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(exitCode).toBe(0);
    expect(report.outcome).toBe('warnings');
    const addresses = report.connectivity.map(({ address }) => address).sort();
    expect(addresses).toEqual([expect.stringMatching(/^\/.*repository$/), `${registry}/v2/`]);
  });

  it('fails with what to do when a registry is out of reach, and when charts are missing', async () => {
    const on = await open();
    const { exitCode, about } = await on.run({
      section: 'registries: [http://127.0.0.1:1]',
      args: ['--charts', on.folder],
    });
    expect(exitCode).toBe(1);
    expect(about('registry 127.0.0.1:1')).toMatchObject({
      verdict: 'fail',
      fix: expect.stringContaining('preflight.registries'),
    });
    expect(about('charts')).toMatchObject({ verdict: 'fail', saw: expect.stringContaining('argo-cd') });
  });

  it('gives up on a registry that never answers, and tells the rest all the same', async () => {
    const on = await open();
    const silent = await served(() => undefined);
    const { exitCode, report, about } = await on.run({ section: `registries: [${silent}]` });
    expect(exitCode).toBe(1);
    expect(about(`registry ${new URL(silent).host}`)?.saw).toContain('does not answer (no answer within 10 s)');
    expect(report.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual(['registries']);
    expect(report.durationSeconds).toBeLessThan(20);
  }, 40_000);

  it('goes through a proxy and says so, without its password', async () => {
    const on = await open();
    const registry = await served(mirror);
    const proxy = await loopbackProxy('bot:planted-secret');
    try {
      const { report, out } = await on.run({ section: `registries: [${registry}]`, env: { HTTP_PROXY: proxy.url } });
      const row = report.connectivity.find(({ address }) => address === `${registry}/v2/`);
      expect(row).toMatchObject({ verdict: 'pass', via: proxy.url.replace('bot:planted-secret@', '') });
      expect(proxy.asked).toContain(`GET ${registry}/v2/`);
      expect(out).not.toContain('planted-secret');
    } finally {
      await proxy.close();
    }
  });

  it('trusts a private authority from a variable or from environment.yaml', async () => {
    const on = await open();
    const registry = await servedSecurely(mirror);
    const about = `registry ${new URL(registry).host}`;
    const file = join(on.folder, 'ca.pem');
    writeFileSync(file, loopbackCertificate);
    const section = `registries: [${registry}]`;
    expect((await on.run({ section })).about(about)).toMatchObject({
      verdict: 'fail',
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    for (const env of [{ NODE_EXTRA_CA_CERTS: file }, { SSL_CERT_FILE: file }])
      expect((await on.run({ section, env })).about(about)?.verdict).toBe('pass');
    expect((await on.run({ section: `${section}, certificateAuthority: ${file}` })).about(about)?.verdict).toBe('pass');
    const wrong = await on.run({ section, env: { SSL_CERT_FILE: join(on.folder, 'kubeconfig') } });
    expect(wrong.about(join(on.folder, 'kubeconfig'))?.saw).toContain('no certificate in PEM');
  });

  it('says when a registry refuses the mounted credentials, and repeats none of them (R7.5)', async () => {
    const on = await open();
    const good = `Basic ${Buffer.from('bot:right').toString('base64')}`;
    const registry = await served((request, response) => {
      if (request.headers.authorization === good) response.end('{}');
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
    });
    const { host } = new URL(registry);
    const section = `registries: [${registry}], secrets: { registry: pull }`;
    const login = async (password: string) => {
      mkdirSync(join(on.folder, 'secrets', 'pull'), { recursive: true });
      const auths = { [host]: { auth: Buffer.from(`bot:${password}`).toString('base64') } };
      writeFileSync(join(on.folder, 'secrets', 'pull', '.dockerconfigjson'), JSON.stringify({ auths }));
      const { report, out, exitCode } = await on.run({ section });
      const finding = report.credentials.find(({ about }) => about === `registry ${host}`);
      return { finding, out, exitCode };
    };
    const refused = await login('planted-secret');
    expect(refused).toMatchObject({
      exitCode: 1,
      finding: { verdict: 'fail', saw: expect.stringContaining('refuses bot') },
    });
    expect(refused.out).not.toContain('planted-secret');
    expect((await login('right')).finding).toMatchObject({
      verdict: 'pass',
      saw: expect.stringContaining('accepts bot'),
    });
  });

  it('shows Git a mounted token without asking anybody, and says when it is refused (R7.5)', async () => {
    const on = await open();
    const good = `Basic ${Buffer.from('git:right').toString('base64')}`;
    const repository = `${await served((request, response) => {
      if (request.headers.authorization === good)
        response.setHeader('content-type', 'application/x-git-upload-pack-advertisement').end(advertisement);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    })}/p.git`;
    const secret = join(on.folder, 'secrets', 'git');
    const none = await on.run({ gitRepository: repository });
    expect(none.about('Git')).toMatchObject({ verdict: 'fail', fix: expect.stringContaining('preflight.secrets.git') });
    writeFileSync(secret, 'planted-secret\n');
    const refused = await on.run({ gitRepository: repository });
    expect(refused.about('Git')).toMatchObject({ verdict: 'fail', saw: expect.stringContaining(secret) });
    expect(refused.out).not.toContain('planted-secret');
    writeFileSync(secret, 'right\n');
    expect((await on.run({ gitRepository: repository })).about('Git')).toMatchObject({
      verdict: 'pass',
      saw: expect.stringContaining('main'),
    });
  });

  it('looks from inside the cluster only when asked to: one Pod, which is gone afterwards', async () => {
    const on = await open();
    const registry = await served(mirror);
    const pods = on.types.byKind('v1', 'Pod');
    if (pods === undefined) throw new Error('this cluster has no pods');
    const playing = on.store.subscribe(({ type, resource, object }) => {
      if (type !== 'ADDED' || resource.plural !== 'pods') return;
      const { namespace, name } = object.metadata;
      const terminated = { message: '2 000\n1 200\n' };
      const status = { phase: 'Succeeded', containerStatuses: [{ state: { terminated } }] };
      queueMicrotask(() => on.store.change(pods, namespace, name, 'kubelet', (pod) => ({ ...pod, status })));
    });
    const section = `registries: [${registry}], endpoints: [${registry}/vault]`;
    const { report, about } = await on.run({ section, args: ['--from-cluster', 'kube-system'] });
    playing();
    const seen = report.connectivity.filter(({ from }) => from === 'cluster');
    expect(seen.map(({ address, verdict }) => [address, verdict])).toEqual([
      [`${registry}/v2/`, 'pass'],
      [`${registry}/vault`, 'fail'],
    ]);
    expect(about('Pod')?.saw).toMatch(/^kube-system\/tiphys-preflight-\w+ was made for this look, and removed$/);
    expect(on.requests.filter(({ write }) => write).map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(on.store.list(pods)).toEqual([]);
  });

  it('takes its Pod away also after Ctrl-C', async () => {
    const on = await open();
    const pods = on.types.byKind('v1', 'Pod');
    if (pods === undefined) throw new Error('this cluster has no pods');
    const stopping = new AbortController();
    on.store.subscribe(({ type, resource }) => {
      // The answer to its creation is on the way: the worst moment.
      if (type === 'ADDED' && resource.plural === 'pods') queueMicrotask(() => stopping.abort('SIGINT'));
    });
    await on.run();
    const told = await on.tell(['--from-cluster'], {}, stopping.signal);
    expect(told).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('stopped before it was done') });
    expect(on.store.list(pods)).toEqual([]);
    expect(on.requests.filter(({ write }) => write).map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });
});

/** What a Git server says of a repository with one branch. */
const advertisement = (() => {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  const commit = 'a1'.repeat(20);
  return `${line('# service=git-upload-pack\n')}0000${line(`${commit} refs/heads/main\0agent=test\n`)}0000`;
})();

async function served(handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(handle))}`;
}

async function servedSecurely(handle: RequestListener): Promise<string> {
  return `https://127.0.0.1:${await listening(createSecureServer({ cert: loopbackCertificate, key: loopbackKey }, handle))}`;
}

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

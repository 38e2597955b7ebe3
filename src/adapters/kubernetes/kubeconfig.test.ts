import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError } from './connection.ts';
import { connect, type KubeconfigSource } from './kubeconfig.ts';

const secret = 'planted-secret';
const packed = (text: string): string => Buffer.from(text).toString('base64');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('finding a cluster', () => {
  it('takes the current context of the data, and never touches the disk for it', async () => {
    const connection = await connect({ data: packed(kubeconfig()), path: '/nowhere' });
    expect(connection).toMatchObject({
      server: 'https://prod:6443',
      context: 'prod',
      namespace: 'argocd',
      renews: false,
    });
    expect(await connection.credentials()).toEqual({
      headers: { authorization: `Bearer ${secret}` },
      tls: { ca: Buffer.from('authority') },
    });
  });

  it('takes another context when told', async () => {
    const connection = await connect({ data: packed(kubeconfig()), context: 'staging' });
    expect(connection.server).toBe('http://staging:8080');
    expect(await connection.credentials()).toEqual({
      headers: {
        authorization: `Basic ${packed(`admin:${secret}`)}`,
        'impersonate-user': 'deployer',
        'impersonate-group': ['ops'],
      },
      tls: { rejectUnauthorized: false, servername: 'kubernetes' },
    });
  });

  it('joins the files of KUBECONFIG, and looks at home last', async () => {
    const first = write('first', 'current-context: staging');
    const second = write('second', kubeconfig());
    expect((await connect({ variable: [first, second].join(delimiter), home: '/nowhere' })).context).toBe('staging');
    await expect(connect({ home: folder })).rejects.toThrow(join(folder, '.kube', 'config'));
  });

  it('reads files beside the kubeconfig, and a token file afresh each time', async () => {
    write('token', `${secret}-1\n`);
    write('ca.crt', 'authority');
    const user = { name: 'u', user: { tokenFile: 'token' } };
    const cluster = { name: 'c', cluster: { server: 'https://c', 'certificate-authority': 'ca.crt' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const config = { clusters: [cluster], users: [user], contexts: [context], 'current-context': 'x' };
    const connection = await connect({ path: write('config', JSON.stringify(config)) });
    expect(connection.renews).toBe(true);
    const { headers, tls } = await connection.credentials();
    expect([headers['authorization'], String(tls.ca)]).toEqual([`Bearer ${secret}-1`, 'authority']);
    write('token', `${secret}-2`);
    expect((await connection.credentials()).headers['authorization']).toBe(`Bearer ${secret}-2`);
  });

  it('asks a plugin, and quotes nothing of what it prints when it fails', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: secret },
    };
    const working = await connect({
      data: packed(withPlugin(`console.log(${JSON.stringify(JSON.stringify(credential))})`)),
    });
    expect(working.renews).toBe(true);
    expect((await working.credentials()).headers).toEqual({ authorization: `Bearer ${secret}` });
    const failing = await connect({ data: packed(withPlugin(`console.error('${secret}');process.exitCode = 1`)) });
    const error = await failing.credentials().catch((one: unknown) => one);
    expect(error).toMatchObject({ message: 'the credential plugin of context "x" failed', hint: expect.any(String) });
    expect(everythingIn(error)).not.toContain(secret);
  });
});

describe('what leads nowhere', () => {
  const cases: readonly [string, () => KubeconfigSource, string, string][] = [
    ['nothing given', () => ({}), 'there is no kubeconfig', '--sandbox'],
    ['no file', () => ({ path: '/nowhere/config' }), 'there is no kubeconfig at /nowhere/config', '--kubeconfig'],
    ['a folder', () => ({ path: folder }), 'cannot be read (EISDIR)', '--kubeconfig'],
    ['plain text as data', () => ({ data: kubeconfig() }), 'KUBECONFIG_DATA is not base64', 'base64'],
    ['broken YAML', () => ({ data: packed(`users: [${secret}\n  :}`) }), 'is not YAML (line', 'kubectl'],
    ['binary', () => ({ data: Buffer.from([0, 255, 1, 2]).toString('base64') }), 'KUBECONFIG_DATA is not', 'kubectl'],
    ['a list', () => ({ data: packed(`- ${secret}`) }), 'is not a kubeconfig', 'kubectl'],
    [
      'a server that is a number',
      () => ({ data: packed('clusters: [{name: a, cluster: {server: 1}}]') }),
      'clusters.0.cluster.server',
      'kubectl',
    ],
    [
      'no current context',
      () => ({ data: packed(kubeconfig().replace('current-context', 'x')) }),
      'has no current context',
      'prod, staging',
    ],
    [
      'a slip',
      () => ({ data: packed(kubeconfig()), context: 'stagign' }),
      'no context "stagign"',
      'Did you mean "staging"?',
    ],
    [
      'a missing cluster',
      () => ({ data: packed(kubeconfig()), context: 'lost' }),
      'names the cluster "gone"',
      'prod, staging',
    ],
    ['a missing user', () => ({ data: packed(kubeconfig()), context: 'nobody' }), 'names the user "gone"', 'prod-user'],
    [
      'no address',
      () => ({ data: packed(kubeconfig().replace('https://prod:6443', 'prod')) }),
      'not an http or https address',
      'server',
    ],
  ];

  it.each(cases)('%s is said with a way out and without content', async (_, source, message, hint) => {
    const error = await connect(source()).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) });
    expect(everythingIn(error)).not.toContain(secret);
  });

  it('is a missing file that the kubeconfig names', async () => {
    const broken = kubeconfig().replace(
      'certificate-authority-data: YXV0aG9yaXR5',
      'certificate-authority: /nowhere/ca',
    );
    const connection = await connect({ data: packed(broken) });
    await expect(connection.credentials()).rejects.toThrow('/nowhere/ca, which cannot be read (ENOENT)');
  });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function kubeconfig(): string {
  return `
current-context: prod
clusters:
  - {name: prod, cluster: {server: "https://prod:6443", certificate-authority-data: YXV0aG9yaXR5}}
  - {name: staging, cluster: {server: "http://staging:8080", insecure-skip-tls-verify: true, tls-server-name: kubernetes}}
users:
  - {name: prod-user, user: {token: ${secret}}}
  - {name: staging-user, user: {username: admin, password: ${secret}, as: deployer, as-groups: [ops]}}
contexts:
  - {name: prod, context: {cluster: prod, user: prod-user, namespace: argocd}}
  - {name: staging, context: {cluster: staging, user: staging-user}}
  - {name: lost, context: {cluster: gone, user: prod-user}}
  - {name: nobody, context: {cluster: prod, user: gone}}
`;
}

function withPlugin(script: string): string {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script] };
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://c' } }],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** All that a log could show of an error, its causes included. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.stack, JSON.stringify(error), error.cause === undefined ? '' : everythingIn(error.cause)].join('\n');
}

import { describe, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';
import { programEnvironment } from './program-environment.ts';
import { redactor, secretsInVars, secretsOf } from './redact.ts';

describe('what a program says', () => {
  const key = '-----BEGIN KEY-----\nabc"def\n-----END KEY-----';
  const kubeconfig = JSON.stringify({
    users: [
      { user: { token: 'token-4711', password: 'pass"word', 'client-key-data': Buffer.from(key).toString('base64') } },
    ],
    clusters: [{ cluster: { server: 'https://example.com' } }],
  });

  it('comes without what is in the kubeconfig, also escaped or decoded (R7.5)', () => {
    const redact = redactor(secretsOf(kubeconfig));
    const said = JSON.stringify({ message: `refused token-4711, pass"word and ${key} at https://example.com` });
    expect(redact(said)).toBe('{"message":"refused ***, *** and *** at https://example.com"}');
    expect(redact(`key: ${Buffer.from(key).toString('base64')}`)).toBe('key: ***');
  });

  it('comes without a secret in the forms that programs give it: in a Secret, in an address, in one line, cut off (R7.5)', () => {
    const redact = redactor(['hunter@2-of-git', 'my%40pass', key]);
    const base64 = Buffer.from('hunter@2-of-git').toString('base64');
    expect(redact(`data: ${base64}`)).toBe('data: ***');
    expect(redact('https://robot:hunter%402-of-git@git.example.com and my@pass')).toBe(
      'https://robot:***@git.example.com and ***',
    );
    expect(redact(key.replaceAll('\n', ' '))).toBe('***');
    expect(redact(key.slice(0, -4))).not.toContain('abc"def');
  });

  it('comes without what --vars holds under a name of secrets, and with everything else of it (R7.5)', () => {
    const vars = `argocd_values:
  configs: { secret: { argocdServerAdminPassword: "$2a$10$planted", extra: { webhook: planted-hook } } }
  repository: { existingSecret: my-secret-name, sshPrivateKey: planted-key, tls: "${key.replaceAll('\n', '\\n').replaceAll('"', '').replaceAll('KEY', 'PRIVATE KEY')}" }
  tolerations: [{ key: dedicated, value: platform }]
  imagePullSecrets: [{ name: registry }]
`;
    const secrets = secretsInVars(vars);
    expect(secrets.slice(0, 3)).toEqual(['$2a$10$planted', 'planted-hook', 'planted-key']);
    expect(secrets[3]).toContain('BEGIN PRIVATE KEY');
    expect(secrets).toHaveLength(4);
    expect(secretsInVars('a: [')).toEqual([]);
  });

  it('keeps its words when a secret is shorter than a word', () => {
    expect(redactor(['a', ''])('a word')).toBe('a word');
  });

  it('is told by its last lines, without colours', () => {
    expect(lastWords('\u001b[0;31mfatal\u001b[0m: x\n\n', 'out')).toBe('fatal: x');
    expect(lastWords('', '1\n2\n3\n4\n5\n6\n7\n')).toBe('2 · 3 · 4 · 5 · 6 · 7');
    expect(lastWords('x'.repeat(2000), '')).toHaveLength(801);
  });
});

describe('the environment of a program', () => {
  it('holds nothing that would change what it does (INV-3), and what it needs to reach the world', () => {
    const env = programEnvironment({
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy',
      AWS_PROFILE: 'x',
      LANG: 'de_DE.UTF-8',
      KUBECONFIG: 'a',
      KUBECONFIG_DATA: 'b',
      KUBECONFIG_PATH: 'c',
      K8S_AUTH_HOST: 'd',
      ANSIBLE_STRATEGY: 'free',
      ANSIBLE_COLLECTIONS_PATH: '/collections',
      HELM_NAMESPACE: 'e',
      PYTHONPATH: 'f',
    });
    expect(env).toEqual({
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy',
      AWS_PROFILE: 'x',
      LANG: 'de_DE.UTF-8',
      ANSIBLE_COLLECTIONS_PATH: '/collections',
    });
    expect(programEnvironment({ LANG: 'C' })).toEqual({ LANG: 'C', LC_ALL: 'C.UTF-8' });
  });
});

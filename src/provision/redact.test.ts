import { describe, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';
import { programEnvironment } from './program-environment.ts';
import { redactor, secretsOf } from './redact.ts';

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

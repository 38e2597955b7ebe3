import { describe, expect, it } from 'vitest';
import { registryEntry } from './docker-config.ts';
import { gitSecretOfFile, gitSecretOfFolder, judgeGit } from './git-access.ts';

const asked = { repository: 'https://git.example.com/p.git', revision: 'main', origin: '/secrets/git' };

describe('a secret for Git', () => {
  it.each([
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n', 'key'],
    ['https://bot:secret@git.example.com\n', 'store'],
    ['ghp_abcdef\n', 'login'],
    ['username: bot\npassword: secret\n', 'login'],
    ['sshPrivateKey: |\n  -----BEGIN OPENSSH PRIVATE KEY-----\n', 'key'],
    ['two words', 'unknown'],
    ['{ not: [yaml', 'unknown'],
  ])('in a file is recognised: %j', (text, kind) => {
    expect(gitSecretOfFile(text).kind).toBe(kind);
  });

  it('in a folder has the names of Kubernetes and of Argo CD', () => {
    expect(
      gitSecretOfFolder(
        new Map([
          ['username', 'bot\n'],
          ['password', 's\n'],
        ]),
      ),
    ).toEqual({ kind: 'login', username: 'bot', password: 's' });
    expect(
      gitSecretOfFolder(
        new Map([
          ['ssh-privatekey', 'k'],
          ['known_hosts', 'h'],
        ]),
      ),
    ).toEqual({ kind: 'key', key: 'k\n', knownHosts: 'h' });
    expect(gitSecretOfFolder(new Map([['note', 'x']]))).toEqual({ kind: 'unknown' });
  });
});

describe('what Git says', () => {
  it('passes only when the revision is there', () => {
    expect(judgeGit({ out: 'a1\trefs/heads/main\n', err: '', code: 0 }, asked).verdict).toBe('pass');
    expect(judgeGit({ out: '', err: '', code: 0 }, asked)).toMatchObject({
      verdict: 'fail',
      saw: expect.stringContaining('no branch or tag main'),
    });
    expect(judgeGit({ out: '', err: '', code: 0 }, { ...asked, revision: 'a1b2c3d4e5f6' }).verdict).toBe('pass');
  });

  it.each([
    ["fatal: could not read Username for 'https://git.example.com': terminal prompts disabled", 'none were found'],
    [
      "remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://git.example.com/p.git/'",
      'are refused',
    ],
    [
      'git@git.example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.',
      'does not know this key',
    ],
    ['Host key verification failed.\nfatal: Could not read from remote repository.', 'ssh-keyscan git.example.com'],
    [
      "fatal: unable to access 'https://git.example.com/p.git/': SSL certificate problem: self-signed certificate",
      'NODE_EXTRA_CA_CERTS',
    ],
    ["fatal: repository 'https://git.example.com/p.git/' not found", 'no such repository'],
  ])('becomes a remedy: %s', (err, fix) => {
    expect(judgeGit({ out: '', err, code: 128 }, asked)).toMatchObject({
      verdict: 'fail',
      fix: expect.stringContaining(fix),
    });
  });

  it('never repeats a password that stands in an address (R7.5)', () => {
    const err = "fatal: unable to access 'https://bot:hunter2@git.example.com/p.git/': Failed to connect";
    expect(JSON.stringify(judgeGit({ out: '', err, code: 128 }, asked))).not.toContain('hunter2');
  });
});

describe('a Docker configuration', () => {
  const decode = (text: string): string => Buffer.from(text, 'base64').toString();
  const auth = Buffer.from('bot:a:b').toString('base64');

  it('has credentials under the names that docker, podman and Kubernetes use', () => {
    const user = { kind: 'user', username: 'bot', password: 'a:b' };
    expect(registryEntry({ auths: { 'quay.io': { auth } } }, 'quay.io', decode)).toEqual(user);
    expect(registryEntry({ auths: { 'https://index.docker.io/v1/': { auth } } }, 'docker.io', decode)).toEqual(user);
    expect(
      registryEntry({ auths: { 'https://r.example.com:5000/v2/': { auth } } }, 'r.example.com:5000', decode),
    ).toEqual(user);
    expect(registryEntry({ auths: { 'quay.io': { username: 'bot', password: 'a:b' } } }, 'quay.io', decode)).toEqual(
      user,
    );
  });

  it('may leave them to somebody else, or have none', () => {
    expect(registryEntry({ credsStore: 'desktop' }, 'quay.io', decode)).toMatchObject({ kind: 'elsewhere' });
    expect(
      registryEntry({ auths: { 'quay.io': {} }, credHelpers: { 'quay.io': 'ecr-login' } }, 'quay.io', decode),
    ).toMatchObject({ kind: 'elsewhere' });
    expect(registryEntry({}, 'quay.io', decode)).toEqual({ kind: 'none' });
    expect(registryEntry('nonsense', 'quay.io', decode)).toEqual({ kind: 'none' });
  });
});

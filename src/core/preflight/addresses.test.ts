import { describe, expect, it } from 'vitest';
import { chartAddress, gitAddress, registryBase, registryHost } from './addresses.ts';

describe('gitAddress', () => {
  it.each([
    [
      'https://git.example.com/team/platform.git',
      { by: 'http', url: 'https://git.example.com/team/platform.git/info/refs?service=git-upload-pack' },
    ],
    ['http://127.0.0.1:3000/p/', { by: 'http', url: 'http://127.0.0.1:3000/p/info/refs?service=git-upload-pack' }],
    ['ssh://git@git.example.com:2222/team/platform.git', { by: 'ssh', host: 'git.example.com', port: 2222 }],
    ['ssh://git@[::1]/p.git', { by: 'ssh', host: '::1', port: 22 }],
    ['git@git.example.com:team/platform.git', { by: 'ssh', host: 'git.example.com', port: 22 }],
    ['file:///srv/git/platform', { by: 'file', path: '/srv/git/platform' }],
    ['/srv/git/platform', { by: 'file', path: '/srv/git/platform' }],
  ])('knows how Git gets to %s', (repository, reach) => {
    expect(gitAddress(repository).reach).toEqual(reach);
  });
});

describe('registries', () => {
  it.each([
    ['quay.io', 'https://quay.io', 'quay.io'],
    ['docker.io', 'https://registry-1.docker.io', 'docker.io'],
    ['registry.example.com:5000/mirror/quay', 'https://registry.example.com:5000', 'registry.example.com:5000'],
    ['http://127.0.0.1:5000', 'http://127.0.0.1:5000', '127.0.0.1:5000'],
    ['oci://ghcr.io/argoproj/argo-helm', 'https://ghcr.io', 'ghcr.io'],
  ])('%s has its API at %s', (registry, base, host) => {
    expect(registryBase(registry)).toBe(base);
    expect(registryHost(registry)).toBe(host);
  });
});

describe('chartAddress', () => {
  it('is the index of a Helm repository, or the API of a registry', () => {
    expect(chartAddress('https://argoproj.github.io/argo-helm/')).toEqual({
      about: 'charts at argoproj.github.io',
      reach: { by: 'http', url: 'https://argoproj.github.io/argo-helm/index.yaml' },
    });
    expect(chartAddress('oci://mirror.example.com/charts').reach).toEqual({
      by: 'http',
      url: 'https://mirror.example.com/v2/',
    });
  });
});

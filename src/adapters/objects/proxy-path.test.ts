import { expect, it } from 'vitest';
import { proxyPath } from './proxy-path.ts';

it.each([
  ['http://pg.data.svc:8008/health', '/api/v1/namespaces/data/services/http:pg:8008/proxy/health'],
  ['http://pg.data.svc/', '/api/v1/namespaces/data/services/http:pg:80/proxy/'],
  [
    'https://vault.security.svc/v1/sys/health?x=1',
    '/api/v1/namespaces/security/services/https:vault:443/proxy/v1/sys/health?x=1',
  ],
  ['http://pg.data.svc.cluster.local:8008/', '/api/v1/namespaces/data/services/http:pg:8008/proxy/'],
])('%s goes through the service proxy', (url, path) => {
  expect(proxyPath(url)).toBe(path);
});

it.each([
  '',
  'nonsense',
  'http://example.com/',
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  'ftp://pg.data.svc/',
  'http://pg.svc/',
  'http://a.b.c.svc/',
])('%s is no Service of the cluster', (url) => {
  expect(proxyPath(url)).toBeUndefined();
});

it('cannot be talked into another path of the API', () => {
  expect(proxyPath('http://pg.data.svc:8008/../../../secrets')).toBe(
    '/api/v1/namespaces/data/services/http:pg:8008/proxy/secrets',
  );
});

import { expect, it } from 'vitest';
import { proxyFor, proxyName } from './proxy-for.ts';

const env = { HTTPS_PROXY: 'http://bot:hunter2@proxy.example.com:3128', HTTP_PROXY: 'plain.example.com:8080' };

it('is the one of the scheme, with or without a scheme of its own', () => {
  expect(proxyFor(new URL('https://quay.io'), env)?.host).toBe('proxy.example.com:3128');
  expect(proxyFor(new URL('http://quay.io'), env)?.host).toBe('plain.example.com:8080');
  expect(proxyFor(new URL('https://quay.io'), { all_proxy: 'http://p:1' })?.host).toBe('p:1');
  expect(proxyFor(new URL('https://quay.io'), {})).toBe(undefined);
  expect(proxyFor(new URL('https://quay.io'), { HTTPS_PROXY: '' })).toBe(undefined);
});

it.each([
  ['example.com', 'https://example.com', true],
  ['example.com', 'https://git.example.com', true],
  ['.example.com', 'https://git.example.com', true],
  ['*.example.com', 'https://git.example.com', true],
  ['example.com', 'https://notexample.com', false],
  ['*', 'https://quay.io', true],
  ['a.b, EXAMPLE.com', 'https://git.example.com', true],
  ['10.0.0.0/8', 'https://10.20.30.40', true],
  ['10.0.0.0/8', 'https://11.20.30.40', false],
  ['10.0.0.0/8', 'https://quay.io', false],
  ['127.0.0.1:5000', 'https://127.0.0.1:5000', true],
  ['127.0.0.1:5000', 'https://127.0.0.1:5001', false],
  ['example.com:443', 'https://example.com', true],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['[::1]:5000', 'https://[::1]:5000', true],
])('NO_PROXY=%s and %s: straight there %s', (list, target, isExempt) => {
  expect(proxyFor(new URL(target), { ...env, NO_PROXY: list }) === undefined).toBe(isExempt);
});

it('is shown without its password (R7.5)', () => {
  const proxy = proxyFor(new URL('https://quay.io'), env);
  expect(proxy && proxyName(proxy)).toBe('http://proxy.example.com:3128');
});

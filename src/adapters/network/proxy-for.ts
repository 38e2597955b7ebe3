import { BlockList, isIP } from 'node:net';

/** The proxy that the environment names for this address, as curl and Git choose it; undefined: straight there. */
export function proxyFor(target: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  const value = firstOf(env, target.protocol === 'https:' ? secureNames : plainNames);
  if (value === undefined || isExempt(target, firstOf(env, ['no_proxy', 'NO_PROXY']) ?? '')) return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A proxy as it may be shown: without user and password. */
export function proxyName(proxy: URL): string {
  return `${proxy.protocol}//${proxy.host}`;
}

const secureNames = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
const plainNames = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

function firstOf(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}

function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(host, entry);
  if (isIP(entry) !== 0) return entry === host;
  const [, name = entry, onlyPort] = /^(.+?|\[.+\]):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

/** `10.0.0.0/8`: only addresses are compared, names are not looked up. */
function isWithin(host: string, range: string): boolean {
  const family = isIP(host);
  const [network = '', bits = ''] = range.split('/');
  if (family === 0 || isIP(network) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const ranges = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  ranges.addSubnet(network, Number(bits), kind);
  return ranges.check(host, kind);
}

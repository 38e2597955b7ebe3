import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';

/** The proxy answered, and does not let us through. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

export interface TunnelOrder {
  readonly proxy: URL;
  readonly target: URL;
  /** Authorities to trust, for proxies that speak TLS. */
  readonly ca?: readonly string[];
  readonly signal: AbortSignal;
}

/** A connection through a proxy to the target's port, by CONNECT. */
export function tunnel({ proxy, target, ca, signal }: TunnelOrder): Promise<Duplex> {
  const authority = `${target.hostname}:${target.port === '' ? '443' : target.port}`;
  const options: RequestOptions = {
    method: 'CONNECT',
    host: bareHost(proxy),
    port: portOf(proxy),
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
    signal,
  };
  const secure = { ...options, ...(ca === undefined ? {} : { ca: [...ca] }) };
  return new Promise((resolve, reject) => {
    const asking = proxy.protocol === 'https:' ? secureRequest(secure) : request(options);
    asking.once('connect', (answer: IncomingMessage, socket: Duplex) => {
      if (answer.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ProxyRefusal(answer.statusCode ?? 0));
    });
    // Some proxies answer like a web server.
    asking.once('response', (answer) => {
      answer.resume();
      reject(new ProxyRefusal(answer.statusCode ?? 0));
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** What a proxy wants to know of us. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

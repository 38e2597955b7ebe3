import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../engine/ports.ts';
import { inTime, linkedAbort } from '../kubernetes/abort.ts';
import { proxyFor, proxyName } from './proxy-for.ts';
import { bareHost, portOf, proxyHeaders, tunnel } from './tunnel.ts';
import { type Unreached, whyUnreached } from './why-unreached.ts';

/** The way out of this machine. */
export interface Network {
  readonly clock: Clock;
  /** For the proxies it names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Authorities in PEM; undefined: what Node trusts by itself. */
  readonly ca: readonly string[] | undefined;
}

export interface ReachOrder {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Somebody answered, whatever it was. */
export interface Reached {
  readonly reached: true;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 64 KiB. */
  readonly body: string;
  readonly milliseconds: number;
  readonly via: string | undefined;
}

/** Asks an http or https address once, with GET. Never rejects for what the other side does. */
export async function reach(network: Network, order: ReachOrder): Promise<Reached | Unreached> {
  const target = new URL(order.url);
  const proxy = proxyFor(target, network.env);
  const attempt = linkedAbort(order.signal);
  const startedAt = network.clock.now();
  try {
    const way: Way = { target, proxy, ca: network.ca, headers: order.headers ?? {}, signal: attempt.signal };
    const { status, headers, body } = await inTime(network.clock, order.deadlineMs, ask(way));
    const via = proxy === undefined ? undefined : proxyName(proxy);
    return { reached: true, status, headers, body, via, milliseconds: network.clock.now() - startedAt };
  } catch (error) {
    if (order.signal.aborted) throw order.signal.reason;
    return whyUnreached(error, target, proxy);
  } finally {
    attempt.abort(finished);
    attempt.release();
  }
}

const finished = new Error('asked and answered');

interface Way {
  readonly target: URL;
  readonly proxy: URL | undefined;
  readonly ca: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

type Told = Pick<Reached, 'status' | 'headers' | 'body'>;

async function ask(way: Way): Promise<Told> {
  const { target, proxy, signal } = way;
  const options = optionsOf(way);
  if (target.protocol !== 'https:') return answerTo(request(options), signal);
  const secure = { ...options, servername: nameOf(target), ...(way.ca === undefined ? {} : { ca: [...way.ca] }) };
  if (proxy === undefined) return answerTo(secureRequest({ ...secure, agent: false }), signal);
  const socket = await tunnel({ proxy, target, signal, ...(way.ca === undefined ? {} : { ca: way.ca }) });
  try {
    return await answerTo(secureRequest({ ...secure, createConnection: () => secured(socket, secure) }), signal);
  } finally {
    // The proxy keeps its side open for as long as we do.
    socket.destroy();
  }
}

function optionsOf({ target, proxy, headers, signal }: Way): RequestOptions {
  // A plain address is asked for at the proxy itself.
  const throughProxy = proxy !== undefined && target.protocol === 'http:';
  const server = throughProxy ? proxy : target;
  return {
    method: 'GET',
    host: bareHost(server),
    port: portOf(server),
    path: throughProxy ? target.href : target.pathname + target.search,
    headers: {
      host: target.host,
      accept: '*/*',
      'user-agent': 'tiphys-preflight',
      connection: 'close',
      ...(throughProxy ? proxyHeaders(proxy) : {}),
      ...headers,
    },
    signal,
  };
}

/** An address has no name that a certificate could be asked for by. */
function nameOf(target: URL): string {
  return /^[\d.]+$|:/.test(bareHost(target)) ? '' : bareHost(target);
}

function secured(socket: Duplex, { servername, ca, host }: { servername: string; ca?: string[]; host?: unknown }) {
  return connectTls({ socket, servername, ...(ca === undefined ? {} : { ca }), host: String(host) });
}

function answerTo(outgoing: ReturnType<typeof request>, signal: AbortSignal): Promise<Told> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      readStart(incoming, signal).then(resolve, reject);
    });
    outgoing.end();
  });
}

const mostRead = 64 * 1024;

async function readStart(incoming: IncomingMessage, signal: AbortSignal): Promise<Told> {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  let body = '';
  incoming.setEncoding('utf8');
  try {
    for await (const chunk of incoming) {
      body += String(chunk);
      if (body.length >= mostRead || signal.aborted) break;
    }
  } catch {
    // The head has come: that is an answer, also when its body breaks off.
  }
  return { status: incoming.statusCode ?? 0, headers, body: body.slice(0, mostRead) };
}

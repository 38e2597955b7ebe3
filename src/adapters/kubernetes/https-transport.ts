import { Agent, request as requestHttp } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Clock } from '../../engine/ports.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { Connection, Credentials } from './connection.ts';
import { type Multiplexer, multiplexer, type StreamOrder } from './multiplexer.ts';
import type { ApiRequest, ApiResponse, Transport } from './transport.ts';

/** A transport that keeps its connections: one for all requests where the server can do that, else a few. */
export function httpsTransport(
  connection: Connection,
  clock: Pick<Clock, 'now'> = systemClock,
): Transport & { close(): void } {
  const server = new URL(connection.server);
  const opened = new Set<Session>();
  let session: Promise<Session> | undefined;

  async function open(): Promise<Session> {
    const credentials = await connection.credentials();
    const requests = credentials.agent ?? keepAliveAgent(server, credentials, connectionsForRequests);
    const lasting = credentials.agent ?? keepAliveAgent(server, credentials, Number.POSITIVE_INFINITY);
    const isDirect = server.protocol === 'https:' && credentials.agent === undefined;
    const many = isDirect ? multiplexer(server, credentials.tls, clock) : undefined;
    const next = { server, requests, lasting, many, headers: credentials.headers };
    opened.add(next);
    return next;
  }

  function current(): Promise<Session> {
    session ??= open().catch((error) => {
      session = undefined;
      throw error;
    });
    return session;
  }

  async function transport(request: ApiRequest): Promise<ApiResponse> {
    const used = current();
    const response = await send(await used, request);
    if (response.status !== 401 || !connection.renews) return response;
    // The token has run out. A 401 was not carried out, so that even a write may be sent again; only one request renews for all.
    response.discard();
    if (session === used) session = undefined;
    return send(await current(), request);
  }

  return Object.assign(transport, {
    close: () => {
      for (const { requests, lasting, many } of opened) {
        requests.destroy();
        lasting.destroy();
        many?.close();
      }
    },
  });
}

interface Session {
  readonly server: URL;
  readonly requests: Agent;
  /** For watches, and for probes of services that may not answer: they must not take the connections of the others. */
  readonly lasting: Agent;
  /** undefined: not over this server's protocol, or not through a proxy. */
  readonly many: Multiplexer | undefined;
  readonly headers: Credentials['headers'];
}

interface Heard extends ApiResponse {
  /** Nobody is going to read the body. */
  discard(): void;
}

/** Forty apps that may start at once would open forty connections, and their handshakes cost more than to wait for one in use. */
const connectionsForRequests = 8;

function keepAliveAgent(server: URL, { tls }: Credentials, maxSockets: number): Agent {
  // Idle connections are dropped before a server or load balancer would: a write that meets a connection just closed must not be repeated.
  const options = { keepAlive: true, timeout: 30_000, maxSockets };
  return server.protocol === 'http:' ? new Agent(options) : new SecureAgent({ ...options, ...tls });
}

async function send(session: Session, request: ApiRequest): Promise<Heard> {
  const isLasting = /[?&]watch=|\/proxy\//.test(request.path);
  const { server, many, headers } = session;
  // Some clusters live below a path of a shared server.
  const path = server.pathname.replace(/\/$/, '') + request.path;
  const order = { ...request, path, headers: { ...request.headers, ...headers } };
  const stream = isLasting ? undefined : await many?.request(order);
  if (stream !== undefined) return answerOf(stream);
  return sendAlone(session, isLasting ? session.lasting : session.requests, order);
}

function answerOf(stream: ClientHttp2Stream): Promise<Heard> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('response', ({ ':status': status, ...headers }) =>
      resolve({
        status: status ?? 0,
        headers: flat(headers),
        body: wholeBody(stream),
        discard: () => stream.resume(),
      }),
    );
    // Without effect when there was an answer, or an error that says more.
    stream.on('close', () => reject(cutOff()));
  });
}

/** A stream whose connection is lost ends as if it were complete; only its code tells. */
async function* wholeBody(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
  yield* stream;
  if ((stream.rstCode ?? 0) !== 0) throw cutOff();
}

function cutOff(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}

/** Over a connection that nobody else uses meanwhile. */
function sendAlone({ server }: Session, agent: Agent, { body, signal, ...order }: StreamOrder): Promise<Heard> {
  const start = server.protocol === 'http:' ? requestHttp : requestHttps;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = start({
      ...order,
      agent,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port,
      // Node sends a DELETE's body without its length unless told.
      headers: { ...order.headers, ...length },
      ...(signal && { signal }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      // A body nobody reads any more may still break; who reads it hears of it from the iterator.
      incoming.on('error', () => undefined);
      const discard = (): void => void incoming.resume();
      resolve({ status: incoming.statusCode ?? 0, headers: flat(incoming.headers), body: incoming, discard });
    });
    outgoing.end(body);
  });
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(pairs);
}

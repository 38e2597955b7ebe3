import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Connection, Credentials } from './connection.ts';
import type { ApiRequest, ApiResponse, Transport } from './transport.ts';

/** A transport that keeps its connections: one agent for all requests of a context. */
export function httpsTransport(connection: Connection): Transport & { close(): void } {
  const server = new URL(connection.server);
  const agents = new Set<Agent>();
  let session: Promise<Session> | undefined;

  async function open(): Promise<Session> {
    const credentials = await connection.credentials();
    const requests = credentials.agent ?? keepAliveAgent(server, credentials, connectionsForRequests);
    const lasting = credentials.agent ?? keepAliveAgent(server, credentials, Number.POSITIVE_INFINITY);
    agents.add(requests).add(lasting);
    return { server, requests, lasting, headers: credentials.headers };
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
    if (response.statusCode !== 401 || !connection.renews) return answer(response);
    // The token has run out. A 401 was not carried out, so that even a write may be sent again; only one request renews for all.
    response.resume();
    if (session === used) session = undefined;
    return answer(await send(await current(), request));
  }

  return Object.assign(transport, {
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  });
}

interface Session {
  readonly server: URL;
  readonly requests: Agent;
  /** For watches, and for probes of services that may not answer: they must not take the connections of the others. */
  readonly lasting: Agent;
  readonly headers: Credentials['headers'];
}

/** Forty apps that may start at once would open forty connections, and their handshakes cost more than to wait for one in use. */
const connectionsForRequests = 8;

function keepAliveAgent(server: URL, { tls }: Credentials, maxSockets: number): Agent {
  // Idle connections are dropped before a server or load balancer would: a write that meets a connection just closed must not be repeated.
  const options = { keepAlive: true, timeout: 30_000, maxSockets };
  return server.protocol === 'http:' ? new Agent(options) : new SecureAgent({ ...options, ...tls });
}

function send({ server, requests, lasting, headers }: Session, request: ApiRequest): Promise<IncomingMessage> {
  const { method, path, body, signal } = request;
  const agent = /[?&]watch=|\/proxy\//.test(path) ? lasting : requests;
  const start = server.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const outgoing = start({
      method,
      agent,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port,
      // Some clusters live below a path of a shared server.
      path: server.pathname.replace(/\/$/, '') + path,
      // Node sends a DELETE's body without its length unless told.
      headers: { ...request.headers, ...headers, ...(body && { 'content-length': String(Buffer.byteLength(body)) }) },
      ...(signal && { signal }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(body);
  });
}

function answer(incoming: IncomingMessage): ApiResponse {
  // A body nobody reads any more may still break; who reads it hears of it from the iterator.
  incoming.on('error', () => undefined);
  return { status: incoming.statusCode ?? 0, headers: flat(incoming.headers), body: incoming };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(pairs);
}

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createPlaces } from '../../engine/places.ts';
import type { Clock } from '../../engine/ports.ts';
import type { TlsOptions } from './connection.ts';
import { TimeoutError } from './errors.ts';

/**
 * Many requests at a time over one connection (HTTP/2): forty apps that may start at once ask at once, without forty handshakes and without
 * standing in line for a free connection.
 */
export interface Multiplexer {
  /** undefined: the server speaks HTTP/1.1 only. The stream has been sent off; its answer is still to come. */
  request(order: StreamOrder): Promise<ClientHttp2Stream | undefined>;
  /** Ends every connection at once, whatever is under way. */
  close(): void;
}

export interface StreamOrder {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** After such a rest a connection is not used again: a server or load balancer may be closing it, and a write that meets that must not be repeated. */
const idleMs = 30_000;
const handshakeMs = 10_000;
const megabyte = 2 ** 20;
/** More at a time would wait in the server instead, where others stand in line, too, and their time would run meanwhile. */
const mostAtOnce = 64;
const never = new AbortController().signal;

/** One connection, and what it does. */
interface Lane {
  readonly session: ClientHttp2Session;
  underWay: number;
  /** When its last request ended. */
  restsSince: number;
}

export function multiplexer(server: URL, tls: TlsOptions, clock: Pick<Clock, 'now'>): Multiplexer {
  const places = createPlaces(mostAtOnce);
  const sockets = new Set<TLSSocket>();
  let current: Promise<Lane | undefined> | undefined;

  async function open(): Promise<Lane | undefined> {
    const socket = await secureSocket(server, tls, sockets);
    if (socket.alpnProtocol === 'h2')
      return { session: sessionOver(server, socket), underWay: 0, restsSince: clock.now() };
    socket.destroy();
    return undefined;
  }

  async function start(order: StreamOrder): Promise<ClientHttp2Stream | undefined> {
    for (;;) {
      order.signal?.throwIfAborted();
      current ??= open().catch((error: unknown) => {
        current = undefined;
        throw error;
      });
      const opening = current;
      const lane = await opening;
      if (lane === undefined) return undefined;
      if (lane.underWay === 0 && clock.now() - lane.restsSince > idleMs) lane.session.close();
      const stream = tryStart(lane.session, server, order);
      if (stream !== undefined) return count(lane, stream);
      if (current === opening) current = undefined;
    }
  }

  /** An idle connection does not keep the program from ending; one with a request does. */
  function count(lane: Lane, stream: ClientHttp2Stream): ClientHttp2Stream {
    lane.underWay += 1;
    lane.session.ref();
    stream.once('close', () => {
      lane.underWay -= 1;
      lane.restsSince = clock.now();
      if (lane.underWay === 0 && !lane.session.destroyed) lane.session.unref();
    });
    return stream;
  }

  function request(order: StreamOrder): Promise<ClientHttp2Stream | undefined> {
    const signal = order.signal ?? never;
    return new Promise((resolve, reject) => {
      const one = async (): Promise<void> => {
        const stream = await start(order);
        resolve(stream);
        if (stream !== undefined) await new Promise((closed) => stream.once('close', closed));
      };
      // Aborted in line, it was not even tried.
      places.use(one, signal).then(() => reject(signal.reason), reject);
    });
  }

  return {
    request,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function sessionOver(server: URL, socket: TLSSocket): ClientHttp2Session {
  const session = connect(server.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: megabyte },
    maxSessionMemory: 100,
  });
  // Lists are long.
  session.setLocalWindowSize(8 * megabyte);
  // Each stream hears of it by itself.
  session.on('error', () => undefined);
  return session;
}

/** undefined: nothing was sent, because the server has said goodbye to this connection. */
function tryStart(session: ClientHttp2Session, server: URL, order: StreamOrder): ClientHttp2Stream | undefined {
  const { method, path, headers, body, signal } = order;
  if (session.closed || session.destroyed) return undefined;
  try {
    const stream = session.request(
      { ...headers, ':method': method, ':path': path, ':authority': server.host },
      { endStream: body === undefined, ...(signal && { signal }) },
    );
    // The only sign that nobody is there any more: the next request takes a new connection.
    stream.on('error', () => signal?.reason instanceof TimeoutError && session.close());
    if (body !== undefined) stream.end(body);
    return stream;
  } catch (error) {
    if (error instanceof Error && 'code' in error && goodbye.has(String(error.code))) return undefined;
    throw error;
  }
}

const goodbye: ReadonlySet<string> = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

/** A connection that is ready for requests; among `all` for as long as it lives. */
function secureSocket(server: URL, tls: TlsOptions, all: Set<TLSSocket>): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port || 443);
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port,
      timeout: handshakeMs,
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
      ...tls,
    });
    all.add(socket);
    const giveUp = (): void => void socket.destroy(notConnected(`no answer within ${handshakeMs / 1000} s`));
    socket.once('timeout', giveUp);
    socket.once('error', reject);
    socket.once('close', () => {
      all.delete(socket);
      reject(notConnected(`the connection to ${host}:${port} was closed`));
    });
    socket.once('secureConnect', () => {
      socket.off('timeout', giveUp);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** As the system itself says it when nobody answers. */
function notConnected(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT', syscall: 'connect' });
}

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { TlsOptions } from './connection.ts';

/**
 * Many requests at a time over one connection (HTTP/2): forty apps that may start at once ask at once, without forty handshakes and without
 * standing in line for a free connection.
 */
export interface Multiplexer {
  /** undefined: the server speaks HTTP/1.1 only. The stream has been sent off; its answer is still to come. */
  request(order: StreamOrder): Promise<ClientHttp2Stream | undefined>;
  close(): void;
}

export interface StreamOrder {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Dropped before a server or load balancer would: a write that meets a connection just closed must not be repeated. */
const idleMs = 30_000;
const handshakeMs = 10_000;
const megabyte = 2 ** 20;

/** More at a time would wait in the server instead, where others stand in line, too, and their time would run meanwhile. */
const mostAtOnce = 64;

export function multiplexer(server: URL, tls: TlsOptions): Multiplexer {
  let underWay = 0;
  const line: (() => void)[] = [];
  let current: Promise<ClientHttp2Session | undefined> | undefined;

  async function open(): Promise<ClientHttp2Session | undefined> {
    const socket = await secureSocket(server, tls);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return undefined;
    }
    const session = connect(server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: megabyte },
      maxSessionMemory: 100,
    });
    // Lists are long, and the default lets one stream keep the others waiting.
    session.once('connect', () => session.setLocalWindowSize(8 * megabyte));
    // Each stream hears of it by itself.
    session.on('error', () => undefined);
    session.setTimeout(idleMs, () => session.close());
    return session;
  }

  function usable(): Promise<ClientHttp2Session | undefined> {
    current ??= open().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  /** An idle connection does not keep the program from ending; one with a request does. */
  function count(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    underWay += 1;
    session.ref();
    stream.once('close', () => {
      underWay -= 1;
      line.shift()?.();
      if (underWay === 0 && !session.destroyed) session.unref();
    });
  }

  async function request(order: StreamOrder): Promise<ClientHttp2Stream | undefined> {
    while (underWay >= mostAtOnce) await new Promise<void>((resolve) => line.push(resolve));
    for (;;) {
      order.signal?.throwIfAborted();
      const opening = usable();
      const session = await opening;
      if (session === undefined) return undefined;
      const stream = session.closed || session.destroyed ? undefined : tryStart(session, order);
      if (stream !== undefined) {
        count(session, stream);
        return stream;
      }
      if (current === opening) current = undefined;
    }
  }

  return {
    request,
    close: () => {
      void current?.then(
        (session) => session?.destroy(),
        () => undefined,
      );
    },
  };
}

/** undefined: nothing was sent, because the server has said goodbye to this connection. */
function tryStart(session: ClientHttp2Session, order: StreamOrder): ClientHttp2Stream | undefined {
  const { method, path, headers, body, signal } = order;
  try {
    const stream = session.request(
      { ...headers, ':method': method, ':path': path },
      { endStream: body === undefined, ...(signal && { signal }) },
    );
    // A request that got no answer in time may be the only sign that nobody is there any more: the next one takes a new connection.
    stream.on('error', () => signal?.aborted && session.close());
    if (body !== undefined) stream.end(body);
    return stream;
  } catch (error) {
    if (error instanceof Error && 'code' in error && goodbye.has(String(error.code))) return undefined;
    throw error;
  }
}

const goodbye: ReadonlySet<string> = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

function secureSocket(server: URL, tls: TlsOptions): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port || 443);
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port,
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
      ...tls,
    });
    socket.setTimeout(handshakeMs, () => socket.destroy(silence(host, port)));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** As the system itself says it when nobody answers. */
function silence(host: string, port: number): Error {
  const error = new Error(`no connection to ${host}:${port} within ${handshakeMs / 1000} s`);
  return Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' });
}

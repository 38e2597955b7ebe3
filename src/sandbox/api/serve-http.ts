import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiRequest, Handler } from './handler.ts';

export interface ServedApi {
  readonly url: string;
  /** Ends open watches and resolves when the port is free. */
  close(): Promise<void>;
}

/** Serves a handler over HTTP. Port 0 takes a free one; the URL says which. */
export async function serveHttp(handle: Handler, listen: { host: string; port: number }): Promise<ServedApi> {
  const open = new Set<AbortController>();
  const server = createServer((incoming, outgoing) => {
    const leaving = new AbortController();
    open.add(leaving);
    outgoing.on('close', () => {
      open.delete(leaving);
      leaving.abort();
    });
    answer(handle, incoming, outgoing, leaving.signal).catch(() => outgoing.destroy());
  });
  // Watches are silent for as long as they like.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await listening(server, listen);
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const leaving of open) leaving.abort();
        server.closeAllConnections();
      }),
  };
}

function listening(server: HttpServer, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** A handler that throws means a broken connection: the caller destroys the socket. */
async function answer(
  handle: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const request = await requestOf(incoming, signal);
  const { status, headers, body } = await handle(request);
  outgoing.writeHead(status, { ...headers, 'cache-control': 'no-cache, private' });
  // A watch must be seen to be open before its first event.
  if (isWatch(request)) outgoing.flushHeaders();
  for await (const chunk of body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

function isWatch({ path }: ApiRequest): boolean {
  return /[?&]watch=(1|true)(&|$)/.test(path);
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go);
      outgoing.off('close', go);
      resolve();
    };
    outgoing.on('drain', go);
    outgoing.on('close', go);
  });
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<ApiRequest> {
  const body = await bytesOf(incoming);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  // Bytes that are no text travel as one character each; the decoder of protobuf knows.
  const isBinary = (headers['content-type'] ?? '').includes('protobuf');
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    ...(body.length === 0 ? {} : { body: body.toString(isBinary ? 'latin1' : 'utf8') }),
    signal,
  };
}

/** One byte more than the server takes is enough to say that it was too much. */
const mostBytes = 3_145_728 + 1;

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size < mostBytes) chunks.push(chunk.subarray(0, mostBytes - size));
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}

import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface LoopbackProxy {
  readonly url: string;
  /** What it was asked for: `CONNECT host:port`, `GET http://…`. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A real proxy on the loopback; with a password it wants to know who asks. */
export async function loopbackProxy(user?: string): Promise<LoopbackProxy> {
  const asked: string[] = [];
  const isKnown = (header: string | undefined): boolean =>
    user === undefined || header === `Basic ${Buffer.from(user).toString('base64')}`;
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!isKnown(incoming.headers['proxy-authorization'])) return void outgoing.writeHead(407).end();
    const onward = request(incoming.url ?? '', { headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    onward.end();
  });
  server.on('connect', (incoming, client) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (!isKnown(incoming.headers['proxy-authorization'])) return void client.end('HTTP/1.1 407 who are you\r\n\r\n');
    const [host = '', port = ''] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 go\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.end('HTTP/1.1 502 nobody there\r\n\r\n'));
    client.on('error', () => onward.destroy());
  });
  // A server forgets the sockets of its tunnels.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${user === undefined ? '' : `${user}@`}127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../../../src/adapters/kubernetes/testing/loopback-certificate.ts';

/** Servers at one address, each of another kind; as `host:port`. */
export interface AnsweringServers {
  /** A registry that wants to know who asks, a Git server, and at `/503` somebody in trouble. */
  readonly http: string;
  readonly https: string;
  /** Greets as an SSH server does, waits, and hangs up on whoever says anything. */
  readonly ssh: string;
  /** Takes connections and never says anything. */
  readonly silent: string;
  close(): void;
}

export async function answeringServers(address: string): Promise<AnsweringServers> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const listen = async (server: Server): Promise<string> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, () => resolve()));
    return `${address}:${(server.address() as AddressInfo).port}`;
  };
  return {
    http: await listen(createServer(answer)),
    https: await listen(createSecureServer({ cert: loopbackCertificate, key: loopbackKey }, answer)),
    ssh: await listen(createPlainServer(greet)),
    silent: await listen(createPlainServer(() => undefined)),
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const answer: RequestListener = ({ url = '' }, response) => {
  const status = url === '/v2/' ? 401 : Number(/^\/(\d{3})$/.exec(url)?.[1] ?? 200);
  response.writeHead(status).end('{}');
};

function greet(socket: Socket): void {
  socket.write('SSH-2.0-testbed\r\n');
  socket.once('data', () => socket.destroy());
}

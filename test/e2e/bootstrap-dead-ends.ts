import { createServer, type Socket } from 'node:net';

/** A port of this machine behind which there is no cluster. */
export interface DeadEnd {
  readonly port: number;
  close(): void;
}

/** Takes every connection and never says a word, like a load balancer with nothing behind it. */
export async function silentPort(): Promise<DeadEnd> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Whoever gives up may do so rudely.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port to listen on');
  const { port } = address;
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A port where nobody listens. */
export async function closedPort(): Promise<DeadEnd> {
  const { port, close } = await silentPort();
  close();
  return { port, close: () => undefined };
}

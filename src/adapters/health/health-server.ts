import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Whether it is of use now, and what it does in one sentence. */
export interface Standing {
  readonly isReady: boolean;
  readonly sentence: string;
}

/** Answers a kubelet: `/healthz` while the process lives at all, `/readyz` when it is of use. */
export async function serveHealth(
  where: { readonly host: string; readonly port: number },
  look: () => Standing,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { isReady, sentence } = look();
    if (request.url === '/healthz') return answer(response, 200, sentence);
    if (request.url === '/readyz') return answer(response, isReady ? 200 : 503, sentence);
    return answer(response, 404, 'only /healthz and /readyz are served');
  });
  server.listen(where.port, where.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
}

import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Testbed } from '../testbed.ts';

/** What the API server reads: it reaches pods and Services through our socket only, because no network leads to them. */
export function egressConfig(testbed: Pick<Testbed, 'folder'>): string {
  const transport = { uds: { udsName: egressSocket(testbed) } };
  return stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport } }],
  });
}

/** What a pod that does not exist answers; undefined: nobody listens there. */
export type PodAnswers = (address: string, port: number, path: string) => Answer | undefined;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Takes the API server's connections to pods and answers them itself; nothing is passed on to any network. */
export async function serveEgress(testbed: Pick<Testbed, 'folder'>, answer: PodAnswers): Promise<Server> {
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', (request, socket) => {
    const target = /^\[?([^\]]+)\]?:(\d+)$/.exec(request.url ?? '');
    const address = target?.[1] ?? '';
    const port = Number(target?.[2]);
    socket.on('error', () => socket.destroy());
    if (answer(address, port, '/') === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const pod = createServer((asked, response) => {
      const said = answer(address, port, asked.url ?? '/');
      if (said === undefined) response.destroy();
      else response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(said.body);
    });
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    pod.emit('connection', socket);
  });
  const path = egressSocket(testbed);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => proxy.once('error', reject).listen(path, resolve));
  return proxy;
}

function egressSocket({ folder }: Pick<Testbed, 'folder'>): string {
  return join(folder, 'egress.sock');
}

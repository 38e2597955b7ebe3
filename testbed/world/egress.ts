import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { stringify } from 'yaml';
import { TestbedError } from '../cluster/testbed-error.ts';
import type { Testbed } from '../testbed.ts';

/** What the API server reads: it reaches pods and Services through our socket only, because no network leads to them. */
export function egressConfig(testbed: Pick<Testbed, 'folder'>): string {
  const socket = egressSocket(testbed);
  if (Buffer.byteLength(socket) > longestSocketPath) {
    throw new TestbedError(
      `the path ${socket} is longer than a socket's may be (${longestSocketPath} bytes)`,
      'Set TIPHYS_TESTBED_HOME to a shorter folder.',
    );
  }
  const transport = { uds: { udsName: socket } };
  return stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport } }],
  });
}

/** Linux takes 108 bytes with the one that ends it. */
const longestSocketPath = 107;

/** What a pod that does not exist answers; undefined: nobody listens there. */
export type PodAnswers = (address: string, port: number, path: string) => Answer | undefined;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Takes the API server's connections to pods and answers them itself; nothing is passed on to any network. */
export async function serveEgress(
  testbed: Pick<Testbed, 'folder'>,
  answer: PodAnswers,
): Promise<{ readonly close: () => void }> {
  const tunnels = new Set<Duplex>();
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', (request, socket) => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket)).once('error', () => socket.destroy());
    tunnel(socket, request.url ?? '', answer);
  });
  const path = egressSocket(testbed);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => proxy.once('error', reject).listen(path, resolve));
  return {
    close() {
      proxy.close();
      proxy.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
    },
  };
}

function tunnel(socket: Duplex, target: string, answer: PodAnswers): void {
  const [, address = '', port = ''] = /^\[?([^\]]+)\]?:(\d+)$/.exec(target) ?? [];
  if (answer(address, Number(port), '/') === undefined) {
    socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  const pod = createServer((asked, response) => {
    const said = answer(address, Number(port), asked.url ?? '/');
    if (said === undefined) response.destroy();
    else response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(said.body);
  });
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  pod.emit('connection', socket);
}

function egressSocket({ folder }: Pick<Testbed, 'folder'>): string {
  return join(folder, 'egress.sock');
}

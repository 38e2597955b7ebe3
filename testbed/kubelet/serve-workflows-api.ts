import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, request as ask, createServer, type RequestOptions, type Server } from 'node:https';
import { join } from 'node:path';
import type { Testbed } from '../testbed.ts';
import { withOwnMetrics } from './with-own-metrics.ts';

/**
 * The API server as the Workflows controller sees it. The controller's metrics port stands in its ConfigMap and nowhere
 * else, and two testbeds would want the same one; so that one answer is changed on its way, and nothing in the cluster.
 * Everything else passes through, the token and with it the rights too.
 */
export async function serveWorkflowsApi(
  testbed: Pick<Testbed, 'folder' | 'ports'>,
  settingsName: () => string,
  onTrouble: (sentence: string) => void,
): Promise<Server> {
  const pki = (file: string): Buffer => readFileSync(join(testbed.folder, 'pki', file));
  const target = {
    host: '127.0.0.1',
    port: testbed.ports.api,
    ca: pki('ca.crt'),
    agent: new Agent({ keepAlive: true }),
  };
  const server = createServer({ cert: pki('server.crt'), key: pki('server.key') }, (asked, answer) => {
    const isSettings = asked.method === 'GET' && configMapOf(asked.url ?? '') === settingsName();
    const order = isSettings ? { metricsPort: testbed.ports.workflowsMetrics } : {};
    const passed = passOn(asked, answer, { target, ...order });
    passed.once('error', (error) => {
      if (answer.destroyed) return;
      onTrouble(`The API server did not answer the Workflows controller: ${error.message}`);
      answer.destroy();
    });
  });
  // Whoever closes a quiet connection meets requests on their way; Go closes them after 90 s.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(testbed.ports.workflowsApi, '127.0.0.1', resolve),
  );
  return server;
}

/** The name of the one ConfigMap that is asked for; undefined for everything else, lists and watches too. */
function configMapOf(url: string): string | undefined {
  return /^\/api\/v1\/namespaces\/[^/]+\/configmaps\/([^/?]+)(\?|$)/.exec(url)?.[1];
}

interface Passage {
  readonly target: RequestOptions;
  /** Given when the answer is the controller's settings. */
  readonly metricsPort?: number;
}

function passOn(asked: IncomingMessage, answer: ServerResponse, { target, metricsPort }: Passage) {
  const { method, url: path, headers } = asked;
  // Text is what can be changed; without it the controller may prefer another form.
  const plain = metricsPort === undefined ? {} : { accept: 'application/json', 'accept-encoding': 'identity' };
  const options: RequestOptions = { ...target, method, path, headers: { ...headers, ...plain } };
  const outgoing = ask(options, (answered) => {
    answered.once('error', () => answer.destroy());
    if (metricsPort === undefined || answered.statusCode !== 200) {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
      return;
    }
    void textOf(answered).then(
      (text) => answer.writeHead(200, { 'content-type': 'application/json' }).end(withOwnMetrics(text, metricsPort)),
      () => answer.destroy(),
    );
  });
  asked.pipe(outgoing);
  answer.once('close', () => {
    // A watch that its reader has left.
    if (!answer.writableFinished) outgoing.destroy();
  });
  return outgoing;
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

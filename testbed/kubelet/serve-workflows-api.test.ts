import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makePki } from '../cluster/pki.ts';
import { type SleepyHome, sleepyHome } from '../cluster/sleepy-home.fixture.ts';
import type { TestbedState } from '../cluster/state.ts';
import { serveWorkflowsApi } from './serve-workflows-api.ts';

let sleepy: SleepyHome;
let state: TestbedState;
let servers: Server[];

beforeEach(async () => {
  sleepy = sleepyHome();
  state = await sleepy.testbed('mine');
  await makePki(state.folder);
  servers = [
    await serveWorkflowsApi(
      state,
      () => 'settings',
      () => undefined,
    ),
  ];
});

afterEach(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await sleepy.close();
});

describe('the API server as the Workflows controller sees it', () => {
  it('gets every request as it was made, and its answer comes back as it is', async () => {
    await answering((asked, answer) => {
      answer.writeHead(409, { 'content-type': 'text/plain' });
      answer.write(`${asked.method} ${asked.url} ${asked.headers.authorization} `);
      asked.pipe(answer);
    });
    const answer = await send('PATCH', '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows/w?force=true', 'a patch');
    expect([answer.statusCode, answer.headers['content-type'], await textOf(answer)]).toEqual([
      409,
      'text/plain',
      'PATCH /apis/argoproj.io/v1alpha1/namespaces/argo/workflows/w?force=true Bearer mine a patch',
    ]);
  });

  it('has one answer changed: the controller’s own settings, which come as text', async () => {
    await answering((asked, answer) => {
      const data = { config: `accepted: ${asked.headers.accept}\n` };
      answer.end(JSON.stringify({ kind: 'ConfigMap', data }));
    });
    expect(await configOf('settings')).toEqual({
      accepted: 'application/json',
      metricsConfig: { enabled: true, path: '/metrics', port: state.ports.workflowsMetrics, secure: false },
    });
    expect(await configOf('another')).toEqual({ accepted: 'application/vnd.kubernetes.protobuf' });
  });

  it('may refuse the settings', async () => {
    await answering((_asked, answer) => answer.writeHead(403).end('forbidden'));
    const answer = await send('GET', '/api/v1/namespaces/argo/configmaps/settings');
    expect([answer.statusCode, await textOf(answer)]).toEqual([403, 'forbidden']);
  });

  it('tells of a change at once, and learns that its reader has left', async () => {
    let left: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (left = resolve));
    await answering((_asked, answer) => {
      answer.write('{"type":"ADDED"}\n');
      answer.once('close', left);
    });
    const watch = await send('GET', '/api/v1/namespaces/argo/configmaps?watch=1');
    const [first] = (await once(watch, 'data')) as [Buffer];
    expect(String(first)).toBe('{"type":"ADDED"}\n');
    watch.destroy();
    await gone;
  });
});

async function answering(listener: RequestListener): Promise<void> {
  const pki = (file: string): Buffer => readFileSync(join(state.folder, 'pki', file));
  const server = createServer({ cert: pki('server.crt'), key: pki('server.key') }, listener);
  servers.push(server);
  server.listen(state.ports.api, '127.0.0.1');
  await once(server, 'listening');
}

async function send(method: string, path: string, body = ''): Promise<IncomingMessage> {
  const outgoing = request({
    method,
    path,
    host: '127.0.0.1',
    port: state.ports.workflowsApi,
    ca: readFileSync(join(state.folder, 'pki/ca.crt')),
    headers: { authorization: 'Bearer mine', accept: 'application/vnd.kubernetes.protobuf' },
    agent: false,
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}

async function configOf(name: string): Promise<unknown> {
  const text = await textOf(await send('GET', `/api/v1/namespaces/argo/configmaps/${name}`));
  return parse((JSON.parse(text) as { data: { config: string } }).data.config);
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

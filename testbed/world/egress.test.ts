import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { egressConfig, serveEgress } from './egress.ts';
import { podAnswer, readySinceMs } from './pod-answers.ts';

describe('connections to pods', () => {
  let folder = '';
  let server: { close(): void };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'testbed-egress-'));
    server = await serveEgress({ folder }, (address, port, path) =>
      address === '10.0.0.7' ? { status: 503, body: `${port}${path}` } : undefined,
    );
  });
  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('go through the socket that the API server is told of', () => {
    expect(parse(egressConfig({ folder }))).toMatchObject({
      egressSelections: [
        { name: 'cluster', connection: { transport: { uds: { udsName: join(folder, 'egress.sock') } } } },
      ],
    });
  });

  test('need a path that a socket can have, and it is said before anything starts', () => {
    expect(() => egressConfig({ folder: `/tmp/${'long'.repeat(30)}` })).toThrow("longer than a socket's may be");
  });

  test('are answered for a pod by its address, with its own status', async () => {
    const { status, socket } = await connect(folder, '10.0.0.7:8200');
    expect(status).toBe(200);
    expect(await ask(socket, '/v1/sys/health')).toEqual({ status: 503, body: '8200/v1/sys/health' });
  });

  test('are refused for everything else: no network is ever reached', async () => {
    for (const target of ['127.0.0.1:80', '10.0.0.8:8200', 'example.com:443', '']) {
      expect((await connect(folder, target)).status).toBe(502);
    }
  });

  test('begin anew after a socket was left behind', async () => {
    const second = await serveEgress({ folder }, () => ({ status: 200, body: 'second' }));
    expect((await connect(folder, '10.9.9.9:1')).status).toBe(200);
    second.close();
  });
});

describe('the answer of a pod', () => {
  const words = [{ state: 'uninitialized', forMs: 400 }, { state: 'sealed', forMs: 200 }, { state: 'active' }];
  const vault = {
    metadata: {
      name: 'vault-0',
      resourceVersion: '1',
      annotations: { 'testbed.tiphys.dev/vault': JSON.stringify(words) },
    },
  };

  test.each([
    [0, 501],
    [399, 501],
    [400, 503],
    [600, 200],
    [9_999_999, 200],
  ])('Vault that has run for %i ms says %i', (readyForMs, status) => {
    expect(podAnswer(vault, '/v1/sys/health?standbyok=true', readyForMs)?.status).toBe(status);
  });

  test('a sealed Vault stays sealed', () => {
    const annotations = { 'testbed.tiphys.dev/vault': '[{"state":"sealed"}]' };
    const sealed = { metadata: { ...vault.metadata, annotations } };
    expect(podAnswer(sealed, '/v1/sys/health', 9_999_999)?.status).toBe(503);
  });

  test('anything else that runs says ok', () => {
    expect(podAnswer(vault, '/metrics', 0)).toEqual({ status: 200, body: 'ok' });
  });

  test('a pod that is not ready does not listen', () => {
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-05T03:00:00Z' }];
    expect(readySinceMs({ ...vault, status: { conditions } })).toBeUndefined();
    expect(readySinceMs(vault)).toBeUndefined();
  });
});

function connect(folder: string, path: string): Promise<{ status: number | undefined; socket: Socket }> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(folder, 'egress.sock'), method: 'CONNECT', path })
      .once('connect', ({ statusCode: status }, socket) => resolve({ status, socket }))
      .once('error', reject)
      .end();
  });
}

function ask(socket: Socket, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ createConnection: () => socket, path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode, body }));
    })
      .once('error', reject)
      .end();
  });
}

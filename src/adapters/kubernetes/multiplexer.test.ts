import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import type { Credentials } from './connection.ts';
import { httpsTransport } from './https-transport.ts';
import { loopbackCertificate, loopbackKey } from './testing/loopback-certificate.ts';
import { steppedClock } from './testing/stepped-clock.ts';

const opened: { close(): unknown }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

it('forty requests are with the server at once, over one connection', async () => {
  const waiting: ServerHttp2Stream[] = [];
  const on = await server((stream) => {
    waiting.push(stream);
    // Nobody is answered before all have asked.
    if (waiting.length === 40) for (const one of waiting) answer(one);
  });
  await Promise.all(Array.from({ length: 40 }, () => on.client.get('/version')));
  expect([waiting.length, on.sessions.length]).toEqual([40, 1]);
});

it('where the server takes fewer at a time, the others stand in line', async () => {
  const on = await server((stream) => answer(stream), { maxConcurrentStreams: 5 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => on.client.get('/version')));
  expect([answers.length, on.sessions.length]).toEqual([200, 1]);
});

it('a body arrives whole, also a long one', async () => {
  const name = 'x'.repeat(3_000_000);
  const on = await server(async (stream) => {
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    answer(stream, body);
  });
  const echo = await on.client.create<{ metadata: { name: string } }>('/api/v1/namespaces', { metadata: { name } });
  expect(echo.metadata.name).toBe(name);
});

it('a server that says goodbye is asked over another connection, and nothing is lost', async () => {
  const on = await server((stream) => answer(stream));
  await on.client.get('/version');
  for (const session of on.sessions) session.goaway(0);
  const answers = await Promise.all(Array.from({ length: 10 }, () => on.client.get('/version')));
  expect([answers.length, on.sessions.length]).toEqual([10, 2]);
});

it('a read whose connection breaks is sent again; a write that may have arrived is not', async () => {
  let breaks = true;
  const on = await server((stream) => {
    if (!breaks) return answer(stream);
    breaks = false;
    stream.session?.destroy();
  });
  expect(await on.client.get('/version')).toEqual({});
  breaks = true;
  const write = on.client.mergePatch('/api/v1/namespaces/x', { metadata: {} });
  await expect(write).rejects.toMatchObject({ name: 'UnreachableError', mayHaveHappened: true });
  expect(await on.client.get('/version')).toEqual({});
});

it('a write that the server refuses to look at is sent again', async () => {
  const refused = 7;
  let refuses = true;
  const on = await server((stream) => {
    if (!refuses) return answer(stream);
    refuses = false;
    stream.close(refused);
  });
  expect(await on.client.mergePatch('/api/v1/namespaces/x', { metadata: {} })).toEqual({});
});

it('after a request without an answer the next one takes a new connection', async () => {
  const silent: ServerHttp2Stream[] = [];
  const on = await server((stream, headers) => {
    if (headers[':path'] === '/silent') silent.push(stream);
    else answer(stream);
  });
  const giveUp = new AbortController();
  const unheard = on.client.get('/silent', giveUp.signal);
  await on.met(() => silent.length === 1);
  giveUp.abort(new Error('enough'));
  await expect(unheard).rejects.toThrow('enough');
  expect(await on.client.get('/version')).toEqual({});
  expect(on.sessions.length).toBe(2);
});

it('new credentials are fetched when a token has run out', async () => {
  const on = await server((stream, headers) => {
    stream.respond({ ':status': headers['authorization'] === 'Bearer 2' ? 200 : 401 });
    stream.end('{}');
  });
  let fetched = 0;
  const client = clientOf(on.url, true, async () => ({
    headers: { authorization: `Bearer ${++fetched}` },
    tls: { ca: loopbackCertificate },
  }));
  await Promise.all([1, 2, 3, 4].map(() => client.create('/api/v1/namespaces', { metadata: { name: 'x' } })));
  expect(fetched).toBe(2);
});

function answer(stream: ServerHttp2Stream, text = '{}'): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(text);
}

type Headers = Readonly<Record<string, unknown>>;

async function server(heard: (stream: ServerHttp2Stream, headers: Headers) => unknown, settings: Settings = {}) {
  const secure: Http2SecureServer = createSecureServer({ cert: loopbackCertificate, key: loopbackKey, settings });
  const sessions: ServerHttp2Session[] = [];
  const listeners: (() => void)[] = [];
  secure.on('session', (session) => sessions.push(session));
  secure.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    heard(stream, headers);
    for (const one of listeners.splice(0)) one();
  });
  opened.push({
    close: () => {
      for (const session of sessions) session.destroy();
      secure.close();
    },
  });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  const met = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => listeners.push(resolve));
  };
  return {
    url,
    sessions,
    met,
    client: clientOf(url, false, async () => ({ headers: {}, tls: { ca: loopbackCertificate } })),
  };
}

function clientOf(url: string, renews: boolean, credentials: () => Promise<Credentials>) {
  const transport = httpsTransport({ server: url, context: 'test', renews, credentials });
  opened.push(transport);
  return createClient(transport, { clock: steppedClock() });
}

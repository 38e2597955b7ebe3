import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Clock } from '../../engine/ports.ts';
import { systemClock } from '../clock/system-clock.ts';
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

it('after a request without an answer in time the next one takes a new connection; after one that was given up it does not', async () => {
  const on = await server((stream, headers) => {
    if (headers[':path'] !== '/silent') answer(stream);
  });
  const impatient = createClient(on.transport, { clock: systemClock, requestTimeoutMs: 100, retryForMs: 0 });
  await expect(impatient.get('/silent')).rejects.toMatchObject({ name: 'UnreachableError' });
  await on.client.get('/version');
  expect(on.sessions.length).toBe(2);
  const giveUp = new AbortController();
  const unheard = on.client.get('/silent', giveUp.signal);
  await on.client.get('/version');
  giveUp.abort(new Error('enough'));
  await expect(unheard).rejects.toThrow('enough');
  await on.client.get('/version');
  expect(on.sessions.length).toBe(2);
});

it('a connection that has rested for long is not used again', async () => {
  let now = 0;
  const on = await server((stream) => answer(stream), {}, { now: () => now });
  for (const [atMs, connections] of [
    [0, 1],
    [30_000, 1],
    [60_001, 2],
  ] as const) {
    now = atMs;
    await on.client.get('/version');
    // The stream is closed a turn after its answer was read.
    await new Promise((resolve) => setImmediate(resolve));
    expect([atMs, on.sessions.length]).toEqual([atMs, connections]);
  }
});

it('an answer that is cut off is no answer', async () => {
  let cuts = true;
  const on = await server((stream) => {
    if (!cuts) return answer(stream, '{"whole":true}');
    cuts = false;
    stream.respond({ ':status': 200 });
    stream.write('{"who', () => stream.session?.destroy());
  });
  expect(await on.client.raw('GET', '/version')).toEqual({ status: 200, body: '{"whole":true}' });
});

it('not more than 64 are under way at once, also when all come in the same moment', async () => {
  const waiting: ServerHttp2Stream[] = [];
  let [seen, most] = [0, 0];
  const on = await server((stream) => {
    most = Math.max(most, waiting.push(stream));
    seen += 1;
    if (waiting.length === 64 || seen === 200) for (const one of waiting.splice(0)) answer(one);
  });
  await Promise.all(Array.from({ length: 200 }, () => on.client.get('/version')));
  expect([seen, most]).toEqual([200, 64]);
});

it('close ends what is under way, and a connection that is only being made', async () => {
  const on = await server(() => undefined);
  const impatient = createClient(on.transport, { clock: systemClock, retryForMs: 0 });
  const making = impatient.get('/version').catch((error: unknown) => error);
  on.transport.close();
  const met = impatient.get('/version').catch((error: unknown) => error);
  await on.met(() => on.sessions.length > 0);
  on.transport.close();
  expect([await making, await met]).toMatchObject([{ name: 'UnreachableError' }, { name: 'UnreachableError' }]);
});

it('a port that takes a connection and stays silent is given up, as never sent', { timeout: 30_000 }, async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  opened.push(silent);
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const transport = transportTo({ url, renews: false, credentials: async () => ({ headers: {}, tls: {} }) });
  const client = createClient(transport, { clock: systemClock, retryForMs: 0 });
  const write = client.mergePatch('/api/v1/namespaces/x', {});
  await expect(write).rejects.toMatchObject({
    message: expect.stringContaining('no answer within 10 s'),
    mayHaveHappened: false,
  });
});

it('the server is called by the name that the kubeconfig has for it', async () => {
  const names: unknown[] = [];
  const on = await server((stream, headers) => {
    names.push(headers[':authority']);
    answer(stream);
  });
  await on.client.get('/version');
  expect(names).toEqual([new URL(on.url).host]);
});

it('new credentials are fetched when a token has run out', async () => {
  const on = await server((stream, headers) => {
    stream.respond({ ':status': headers['authorization'] === 'Bearer 2' ? 200 : 401 });
    stream.end('{}');
  });
  let fetched = 0;
  const credentials = async () => ({
    headers: { authorization: `Bearer ${++fetched}` },
    tls: { ca: loopbackCertificate },
  });
  const client = createClient(transportTo({ url: on.url, renews: true, credentials }), { clock: steppedClock() });
  await Promise.all([1, 2, 3, 4].map(() => client.create('/api/v1/namespaces', { metadata: { name: 'x' } })));
  expect(fetched).toBe(2);
});

function answer(stream: ServerHttp2Stream, text = '{}'): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(text);
}

type Headers = Readonly<Record<string, unknown>>;

async function server(
  heard: (stream: ServerHttp2Stream, headers: Headers) => unknown,
  settings: Settings = {},
  clock: Pick<Clock, 'now'> = systemClock,
) {
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
  const credentials = async () => ({ headers: {}, tls: { ca: loopbackCertificate } });
  const transport = transportTo({ url, renews: false, credentials }, clock);
  return { url, sessions, met, transport, client: createClient(transport, { clock: steppedClock() }) };
}

interface Target {
  readonly url: string;
  readonly renews: boolean;
  readonly credentials: () => Promise<Credentials>;
}

function transportTo({ url, ...rest }: Target, clock: Pick<Clock, 'now'> = systemClock) {
  const transport = httpsTransport({ server: url, context: 'test', ...rest }, clock);
  opened.push(transport);
  return transport;
}

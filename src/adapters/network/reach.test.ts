import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock/system-clock.ts';
import { loopbackCertificate, loopbackKey } from '../kubernetes/testing/loopback-certificate.ts';
import { loopbackProxy } from './loopback-proxy.fixture.ts';
import { type Network, reach } from './reach.ts';
import { reachPort } from './reach-port.ts';
import { registryLogin } from './registry-login.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const signal = new AbortController().signal;
const direct: Network = { clock: systemClock, env: {}, ca: undefined };
const trusting: Network = { ...direct, ca: [loopbackCertificate] };

describe('reach', () => {
  it('takes every answer for an answer', async () => {
    const url = await served((_, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end('who?'));
    expect(await ask(direct, url)).toMatchObject({ reached: true, status: 401, body: 'who?', via: undefined });
  });

  it('trusts a private authority that is named, and says what to do about one that is not', async () => {
    const url = await servedSecurely((_, response) => response.end('hello'));
    expect(await ask(trusting, url)).toMatchObject({ reached: true, status: 200 });
    expect(await ask(direct, url)).toMatchObject({
      reached: false,
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  });

  it('goes through the proxy, to plain and to secure addresses, and shows no password of it', async () => {
    const proxy = await opened(loopbackProxy('bot:hunter2'));
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    const secure = await servedSecurely((_, response) => response.end('hello'));
    const plain = await served((_, response) => response.end('hello'));
    for (const url of [secure, plain]) {
      const answer = await ask({ ...trusting, env }, url);
      expect(answer).toMatchObject({ reached: true, status: 200 });
      expect(answer.via).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    }
    expect(proxy.asked.map((line) => line.split(' ')[0])).toEqual(['CONNECT', 'GET']);
    expect(await ask({ ...trusting, env: { ...env, NO_PROXY: '127.0.0.1' } }, secure)).toMatchObject({
      via: undefined,
    });
  });

  it('says when the proxy wants a password, has no way on, or is not there', async () => {
    const secure = await servedSecurely((_, response) => response.end('hello'));
    const closed = await opened(loopbackProxy('bot:hunter2'));
    const anonymous = { HTTPS_PROXY: closed.url.replace('bot:hunter2@', '') };
    expect(await ask({ ...trusting, env: anonymous }, secure)).toMatchObject({
      because: expect.stringContaining('wants a user and a password'),
    });
    const open = await opened(loopbackProxy());
    const env = { HTTPS_PROXY: open.url };
    expect(await ask({ ...trusting, env }, `https://127.0.0.1:${await freePort()}`)).toMatchObject({
      because: expect.stringContaining('answered 502'),
    });
    const gone = { HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` };
    expect(await ask({ ...trusting, env: gone }, secure)).toMatchObject({
      because: expect.stringMatching(/the proxy .* refuses connections/),
    });
  });

  it('names what is wrong in a sentence: nobody there, no TLS, no answer, an unknown name', async () => {
    const plain = await served((_, response) => response.end('hello'));
    const silent = await served(() => undefined);
    const answers = await Promise.all([
      ask(direct, `http://127.0.0.1:${await freePort()}`),
      ask(direct, plain.replace('http:', 'https:')),
      reach(direct, { url: silent, deadlineMs: 100, signal }),
      ask(direct, 'https://nowhere.invalid'),
    ]);
    expect(
      answers.map((answer) => (answer.reached ? 'reached' : answer.because.replaceAll(/127\.0\.0\.1:\d+/g, 'it'))),
    ).toEqual([
      'it refuses connections',
      expect.stringContaining('it does not speak TLS as expected'),
      'it does not answer (no answer within 0.1 s)',
      expect.stringContaining('the name of nowhere.invalid is not known here'),
    ]);
  });

  it('ends with the signal', async () => {
    const silent = await served(() => undefined);
    const stop = new AbortController();
    const asking = reach(direct, { url: silent, deadlineMs: 60_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('reachPort', () => {
  it('hears the greeting of an SSH server, and says when nobody listens', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await listening(server);
    expect(await reachPort(direct, { host: '127.0.0.1', port, deadlineMs: 5_000, signal })).toMatchObject({
      reached: true,
      greeting: 'SSH-2.0-OpenSSH_9.2',
    });
    expect(
      await reachPort(direct, { host: '127.0.0.1', port: await freePort(), deadlineMs: 5_000, signal }),
    ).toMatchObject({
      reached: false,
    });
  });
});

describe('registryLogin', () => {
  it('asks for a token where the registry says, with the credentials', async () => {
    const registry = await registryWith('bot', 'hunter2');
    expect(await login(registry, { username: 'bot', password: 'hunter2' })).toMatchObject({ result: 'accepted' });
    expect(await login(registry, undefined)).toMatchObject({ result: 'open' });
    const refused = await login(registry, { username: 'bot', password: 'wrong-secret' });
    expect(refused).toMatchObject({ result: 'refused', because: expect.stringContaining('answered 401') });
    expect(JSON.stringify(refused)).not.toContain('wrong-secret');
  });

  it('shows them directly where it wants that', async () => {
    const good = `Basic ${Buffer.from('bot:hunter2').toString('base64')}`;
    const url = await served((request, response) => {
      if (request.headers.authorization === good) response.end('{}');
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
    });
    expect(await login(url, { username: 'bot', password: 'hunter2' })).toMatchObject({ result: 'accepted' });
    expect(await login(url, { username: 'bot', password: 'no' })).toMatchObject({ result: 'refused' });
    expect(await login(url, undefined)).toMatchObject({ result: 'refused', because: 'it asks for a user' });
  });

  it('says what is no registry, and what cannot be reached', async () => {
    const url = await served((_, response) => response.writeHead(404).end());
    expect(await login(url, undefined)).toMatchObject({ result: 'strange' });
    expect(await login(`http://127.0.0.1:${await freePort()}`, undefined)).toMatchObject({ result: 'unreached' });
  });

  it('sends no password where a secure registry points without TLS', async () => {
    const tokens: string[] = [];
    const plain = await served((request, response) => {
      tokens.push(String(request.headers.authorization));
      response.end('{"token":"t"}');
    });
    const url = await servedSecurely((_, response) =>
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${plain}/token"` }).end(),
    );
    const answer = await registryLogin(trusting, {
      registry: url,
      user: { username: 'bot', password: 'hunter2' },
      deadlineMs: 5_000,
      signal,
    });
    expect([answer.result, tokens]).toEqual(['strange', []]);
  });
});

function ask(network: Network, url: string) {
  return reach(network, { url, deadlineMs: 10_000, signal });
}

function login(registry: string, user: { username: string; password: string } | undefined) {
  return registryLogin(direct, { registry, user, deadlineMs: 5_000, signal });
}

/** Anybody may have a token; who shows a password must show the right one. */
async function registryWith(username: string, password: string): Promise<string> {
  const good = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const url: string = await served((request, response) => {
    const { authorization } = request.headers;
    if (request.url?.startsWith('/token') === true) {
      if (authorization === undefined || authorization === good) response.end('{"token":"t"}');
      else response.writeHead(401).end();
    } else response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}/token",service="r"` }).end();
  });
  return url;
}

async function served(handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(handle))}`;
}

async function servedSecurely(handle: RequestListener): Promise<string> {
  return `https://127.0.0.1:${await listening(createSecureServer({ cert: loopbackCertificate, key: loopbackKey }, handle))}`;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
          server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

async function opened<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const resource = await opening;
  closing.push(() => resource.close());
  return resource;
}

/** A port at which nobody listens: it was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

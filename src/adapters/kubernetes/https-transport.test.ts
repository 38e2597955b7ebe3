import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from './client.ts';
import type { Credentials } from './connection.ts';
import { httpsTransport } from './https-transport.ts';
import { loopbackCertificate, loopbackKey } from './testing/loopback-certificate.ts';
import { steppedClock } from './testing/stepped-clock.ts';

const opened: { close(): unknown }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

describe('over TLS', () => {
  it('trusts the authority it was given, and shows its own certificate', async () => {
    const subjects: unknown[] = [];
    const url = await secure((request, response) => {
      subjects.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      response.end('{}');
    });
    const tls = { ca: loopbackCertificate, cert: loopbackCertificate, key: loopbackKey };
    expect(await clientWith(url, { headers: {}, tls }).get('/version')).toEqual({});
    expect(subjects).toEqual(['loopback test']);
  });

  it('gives up at once when the server shows a certificate nobody vouches for', async () => {
    const url = await secure((_, response) => response.end('{}'));
    const clock = steppedClock();
    const token = 'planted-secret-token';
    const client = clientWith(url, { headers: { authorization: `Bearer ${token}` }, tls: {} }, clock);
    const error = await client.get('/version').catch((one: unknown) => one);
    expect(error).toMatchObject({ name: 'UnreachableError', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    expect(clock.skipped).toEqual([]);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain(token);
  });
});

it('reaches a server that lives below a path', async () => {
  const seen: (string | undefined)[] = [];
  const url = await plain((request, response) => {
    seen.push(request.url);
    response.end('{}');
  });
  await clientWith(`${url}/k8s/clusters/c-1/`).get('/version');
  expect(seen).toEqual(['/k8s/clusters/c-1/version']);
});

it('sends the options of a delete with their length', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const url = await plain((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  await clientWith(url).delete('/api/v1/namespaces/x', { propagationPolicy: 'Foreground' });
  expect(Number(seen[0]?.['content-length'])).toBeGreaterThan(20);
});

it('fetches new credentials once when a token has run out, also for many requests at a time', async () => {
  const url = await plain((request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer 2' ? 200 : 401).end('{}');
  });
  let fetched = 0;
  const credentials = async () => ({ headers: { authorization: `Bearer ${++fetched}` }, tls: {} });
  const transport = httpsTransport({ server: url, context: 'test', renews: true, credentials });
  opened.push(transport);
  const client = createClient(transport, { clock: steppedClock() });
  await Promise.all([1, 2, 3, 4].map(() => client.create('/api/v1/namespaces', { metadata: { name: 'x' } })));
  expect(fetched).toBe(2);
});

it('shows the 401 when new credentials do not help', async () => {
  const url = await plain((_, response) => response.writeHead(401).end());
  await expect(clientWith(url).get('/version')).rejects.toMatchObject({ status: 401 });
});

it('asks for credentials again after they could not be fetched', async () => {
  const url = await plain((_, response) => response.end('{}'));
  const answers = [Promise.reject(new Error('plugin failed')), Promise.resolve({ headers: {}, tls: {} })];
  answers[0]?.catch(() => undefined);
  const credentials = () => answers.shift() as Promise<Credentials>;
  const transport = httpsTransport({ server: url, context: 'test', renews: false, credentials });
  opened.push(transport);
  const client = createClient(transport, { clock: steppedClock() });
  await expect(client.get('/version')).rejects.toThrow('plugin failed');
  expect(await client.get('/version')).toEqual({});
});

it('sends many requests over a few connections, which watches and probes do not take', async () => {
  const connections = new Set<unknown>();
  const url = await plain((request, response) => {
    if (/watch=1|proxy/.test(request.url ?? '')) return;
    connections.add(request.socket);
    response.end('{}');
  });
  const client = clientWith(url);
  const ending = new AbortController();
  const lasting = Array.from({ length: 20 }, (_, index) =>
    client.stream(index < 10 ? '/api/v1/pods?watch=1' : '/api/v1/services/x/proxy/health', ending.signal),
  );
  await Promise.all(Array.from({ length: 40 }, () => client.get('/version')));
  ending.abort();
  await Promise.allSettled(lasting);
  expect(connections.size).toBeLessThanOrEqual(8);
});

function clientWith(server: string, credentials: Credentials = { headers: {}, tls: {} }, clock = steppedClock()) {
  const connection = { server, context: 'test', renews: false, credentials: async () => credentials };
  const transport = httpsTransport(connection);
  opened.push(transport);
  return createClient(transport, { clock });
}

async function plain(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`;
}

async function secure(listener: RequestListener): Promise<string> {
  const options = { cert: loopbackCertificate, key: loopbackKey, requestCert: true, rejectUnauthorized: false };
  return `https://127.0.0.1:${await listen(createSecureServer(options, listener))}`;
}

async function listen(server: Server): Promise<number> {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

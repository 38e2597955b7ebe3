import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { connect } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Client, PageProbe, Probe } from './component.ts';

/** One look: is it ready? What stands in the way comes back as a sentence. */
export function probe(target: Probe, authority: string): Promise<'ready' | { readonly because: string }> {
  return 'port' in target ? probePort(target.port) : probePage(target, authority);
}

const patienceMs = 2_000;

function credentials(client: Client | undefined, authority: string): SecureContextOptions {
  if (client === undefined) return { ca: readFileSync(authority) };
  return { ca: readFileSync(client.authority), cert: readFileSync(client.certificate), key: readFileSync(client.key) };
}

function probePage({ url, client }: PageProbe, authority: string): Promise<'ready' | { because: string }> {
  return new Promise((resolve) => {
    const answered = (response: { statusCode?: number | undefined; resume(): unknown }): void => {
      const { statusCode = 0 } = response;
      response.resume();
      // As a kubelet counts: a server that sends its readers on to TLS is there.
      const isGood = statusCode >= 200 && statusCode < 400;
      resolve(isGood ? 'ready' : { because: `${url} answers ${statusCode}` });
    };
    const request = url.startsWith('https:')
      ? getSecure(url, { ...credentials(client, authority), timeout: patienceMs, agent: false }, answered)
      : getPlain(url, { timeout: patienceMs, agent: false }, answered);
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => resolve({ because: `${url}: ${error.message}` }));
  });
}

function probePort(port: number): Promise<'ready' | { because: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve('ready');
    });
    socket.once('error', (error) => resolve({ because: `port ${port}: ${error.message}` }));
  });
}

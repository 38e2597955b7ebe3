import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Running } from '../running.ts';
import { start } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-'));
const home = mkdtempSync(join(tmpdir(), 'tiphys-home-'));
const token = 'planted-token-4711';
let sandbox: Running;
let url = '';

beforeAll(async () => {
  execFileSync(process.execPath, ['build.mjs']);
  sandbox = start('tiphys', [
    'sandbox',
    'platforms/hello',
    '--speed',
    '200x',
    '--write-kubeconfig',
    join(folder, 'kubeconfig'),
  ]);
  url = (await sandbox.until(/^ready: hello at (\S+);/m))[1] ?? '';
});

afterAll(async () => {
  sandbox.child.kill('SIGKILL');
  await sandbox.ended;
  rmSync(folder, { recursive: true });
  rmSync(home, { recursive: true });
});

describe('the container’s program against a cluster over HTTP', () => {
  it('stops at the first SIGINT with exit 1 and a report; the next one deploys the rest', async () => {
    const env = { KUBECONFIG_DATA: kubeconfig(url), HOME: home, TMPDIR: home };
    const first = start('executor', ['deploy', 'platforms/hello', '-o', 'json'], env);
    await first.until(/\[deploy\/run\/cert-manager\] sync of/);
    first.child.kill('SIGINT');
    expect(await first.ended).toEqual({ exitCode: 1, signal: null });
    expect(JSON.parse(first.said.out)).toMatchObject({
      outcome: 'failed',
      interrupted: 'stopped on request; running syncs are left to Argo CD',
    });

    const second = start('executor', ['deploy', 'platforms/hello', '-o', 'json'], env);
    expect(await second.ended).toEqual({ exitCode: 0, signal: null });
    expect(JSON.parse(second.said.out)).toMatchObject({ outcome: 'success' });
    for (const { said } of [first, second]) expect(said.out + said.err).not.toContain(token);
    // KUBECONFIG_DATA stays in memory: HOME and TMPDIR are as empty as they were.
    expect(readdirSync(home)).toEqual([]);
  });

  it('carries no secret in its arguments, and works with a read-only file system around it', async () => {
    const args = ['validate', 'platforms/hello', '-o', 'json', '--out', '/dev/null'];
    const running = start('executor', args, { KUBECONFIG_DATA: kubeconfig(url), HOME: '/proc', TMPDIR: '/proc' });
    await running.until(/reading what is there/);
    const commandLine = existsSync(`/proc/${running.child.pid}/cmdline`)
      ? readFileSync(`/proc/${running.child.pid}/cmdline`, 'utf8')
      : running.child.spawnargs.join(' ');
    expect(commandLine).not.toContain(token);
    expect(await running.ended).toEqual({ exitCode: 0, signal: null });
  });

  it('wrote the sandbox’s kubeconfig for its owner alone', () => {
    expect(statSync(join(folder, 'kubeconfig')).mode & 0o777).toBe(0o600);
  });
});

describe('a server that repeats the token in its answers', () => {
  it.each([401, 403, 500])('%i: the token is in nothing that we print', async (status) => {
    const server = createServer((request, response) => {
      const body = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: status,
        reason: 'X',
        message: `no: ${request.headers.authorization}`,
      };
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '600' });
      response.end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const events = join(folder, `events-${status}.jsonl`);
    const running = start(
      'executor',
      ['deploy', 'platforms/hello', '-o', 'json', '--events', events, '--log-level', 'debug'],
      {
        KUBECONFIG_DATA: kubeconfig(address),
      },
    );
    expect((await running.ended).exitCode).toBe(1);
    server.close();
    const everything = running.said.out + running.said.err + readFileSync(events, 'utf8');
    expect(everything).toContain('could not look for Argo CD');
    expect(everything).not.toContain(token);
  });
});

describe('the served sandbox', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s with exit 0', async (signal) => {
    const own = start('tiphys', ['sandbox', 'platforms/hello', '--speed', '50x']);
    await own.until(/^ready: hello at http/m);
    own.child.kill(signal);
    expect(await own.ended).toEqual({ exitCode: 0, signal: null });
    expect(own.said.out).toBe('');
  });

  it('says why it cannot listen', async () => {
    const port = new URL(url).port;
    const own = start('tiphys', ['sandbox', 'platforms/hello', '--listen', `127.0.0.1:${port}`]);
    expect((await own.ended).exitCode).toBe(1);
    expect(own.said.err).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE)`);
    const nonsense = start('tiphys', ['sandbox', 'platforms/hello', '--listen', 'nowhere']);
    expect((await nonsense.ended).exitCode).toBe(3);
  });
});

/** In base64, as the container gets it. */
function kubeconfig(server: string): string {
  return Buffer.from(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  ).toString('base64');
}

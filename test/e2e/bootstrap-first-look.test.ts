import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { allRoles, type BootstrapBench, kubeconfigData, openBootstrapBench } from './bootstrap-bench.ts';
import { closedPort, type DeadEnd, silentPort } from './bootstrap-dead-ends.ts';

let bench: BootstrapBench;
beforeAll(async () => {
  bench = await openBootstrapBench();
}, 60_000);
afterAll(() => bench.close());

/** What a bootstrap says to whoever is behind this address, and how long it takes it. */
async function refusedAt({ port, close }: DeadEnd): Promise<{ readonly err: string; readonly tookMs: number }> {
  const begun = systemClock.now();
  const KUBECONFIG_DATA = kubeconfigData(`http://127.0.0.1:${port}`);
  const run = bench.start(['bootstrap', 'platforms/hello'], allRoles, { KUBECONFIG_DATA });
  const exitCode = await run.ended;
  close();
  expect([exitCode, run.said.out]).toEqual([1, '']);
  // Ansible was not started, and nothing private is left.
  expect(existsSync(join(bench.folder, 'given.json'))).toBe(false);
  expect(readdirSync(bench.tmp)).toEqual([]);
  return { err: run.said.err, tookMs: systemClock.now() - begun };
}

describe('tiphys bootstrap looks first whether anybody answers (RFC 4.2: cluster unreachable)', () => {
  it.each([
    ['says soon that nobody listens', closedPort, 'ECONNREFUSED', 20_000],
    ['waits no longer than its deadline for a port that never answers', silentPort, 'no answer within 20 s', 30_000],
  ])(
    '%s, where, and what to look at: exit 1',
    async (_, open, why, longestMs) => {
      const end = await open();
      const { err, tookMs } = await refusedAt(end);
      const where = `http://127.0.0.1:${end.port}`;
      expect(err).toContain(`error: could not reach the cluster at ${where}: no answer to GET /version`);
      expect(err).toContain(why);
      expect(err).toContain('Is the cluster up, and is this the right kubeconfig and context?');
      expect(tookMs).toBeLessThan(longestMs);
    },
    60_000,
  );

  it.each([
    [401, 'The credentials in the kubeconfig were refused: renew them.'],
    [404, 'answers, but not like a Kubernetes API server'],
  ])('takes %d for an answer, and says what it means: exit 1', async (status, what) => {
    const { err } = await refusedAt(await answering(status));
    expect(err).toContain(what);
  });
});

/** A web server that has only this to say. */
async function answering(status: number): Promise<DeadEnd> {
  const server: Server = createServer((_request, response) => response.writeHead(status).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port to listen on');
  return { port: address.port, close: () => void server.close() };
}

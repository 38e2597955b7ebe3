import { describe, expect, it } from 'vitest';
import type { ApiFault, ApiFaults } from './faults.ts';
import { serveHttp } from './serve-http.ts';
import { application, applications, testCluster } from './test-cluster.fixture.ts';

describe('faults of the API', () => {
  it('refuse the connection without doing anything', async () => {
    const { send, requests } = testCluster({ faults: once({ kind: 'refuse' }) });
    await expect(send('POST', applications, application('web'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(requests).toMatchObject([{ status: 0, write: true }]);
    expect((await send('GET', `${applications}/web`)).status).toBe(404);
  });

  it('answer with a status and when to come back', async () => {
    const { send } = testCluster({ faults: once({ kind: 'status', status: 429, retryAfter: 2 }) });
    const answer = await send('GET', applications);
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '2' }, body: { reason: 'TooManyRequests' } });
    expect((await send('GET', applications)).status).toBe(200);
  });

  it('take their time', async () => {
    const { send, time } = testCluster({ faults: once({ kind: 'latency', ms: 3_000 }) });
    const before = time.now();
    expect((await time.run(send('GET', applications))).status).toBe(200);
    expect(time.now() - before).toBe(3_000);
  });

  it('drop a watch after a while', async () => {
    const { handle, time } = testCluster({ faults: once({ kind: 'drop-watch', afterMs: 5_000 }) });
    const { body } = await handle({ method: 'GET', path: `${applications}?watch=1`, headers: {} });
    const before = time.now();
    const reading = (async () => {
      for await (const _chunk of body);
    })();
    await expect(time.run(reading)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(time.now() - before).toBe(5_000);
  });

  it('stall until the client gives up', async () => {
    const { handle } = testCluster({ faults: { before: () => ({ kind: 'stall' }) } });
    const giveUp = new AbortController();
    const asking = handle({ method: 'GET', path: applications, headers: {}, signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });

  it('do what was asked and then lose the answer', async () => {
    const { send } = testCluster({ faults: once({ kind: 'reset-mid-body' }) });
    await expect(send('POST', applications, application('web'))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await send('GET', `${applications}/web`)).status).toBe(200);
  });

  it('send garbage before the events of a watch', async () => {
    const { handle } = testCluster({ faults: once({ kind: 'garbage' }) });
    const { body } = await handle({ method: 'GET', path: `${applications}?watch=1`, headers: {} });
    const { value } = await body[Symbol.asyncIterator]().next();
    expect(() => JSON.parse(Buffer.from(value).toString())).toThrow();
  });
});

describe('the API over HTTP', () => {
  it('serves what the handler serves', async () => {
    const { handle } = testCluster();
    const served = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${served.url}${applications}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(application('web')),
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ metadata: { name: 'web' } });
    await served.close();
  });

  it('refuses a body that is too large and stays usable', async () => {
    const { handle } = testCluster();
    const served = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
    const body = JSON.stringify({ ...application('web'), spec: { info: 'x'.repeat(3_200_000) } });
    expect((await fetch(`${served.url}${applications}`, { method: 'POST', body })).status).toBe(413);
    expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
    await served.close();
  });

  it('breaks the connection where a fault says so', async () => {
    const { handle } = testCluster({ faults: once({ kind: 'refuse' }) });
    const served = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
    await expect(fetch(`${served.url}${applications}`)).rejects.toThrow();
    expect((await fetch(`${served.url}${applications}`)).status).toBe(200);
    await served.close();
  });

  it('streams a watch and ends it when it closes', async () => {
    const { handle, send } = testCluster();
    const served = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
    const watch = await fetch(`${served.url}${applications}?watch=1`);
    await send('POST', applications, application('web'));
    const reader = watch.body!.getReader();
    const { value } = await reader.read();
    expect(JSON.parse(Buffer.from(value ?? []).toString())).toMatchObject({ type: 'ADDED' });
    const rest = reader.read();
    await served.close();
    await rest.then(
      ({ done }) => expect(done).toBe(true),
      (error: unknown) => expect(error).toBeInstanceOf(Error),
    );
  });
});

function once(fault: ApiFault): ApiFaults {
  let used = false;
  return {
    before() {
      if (used) return undefined;
      used = true;
      return fault;
    },
  };
}

import { describe, expect, it } from 'vitest';
import type { Handler } from './handler.ts';
import { application, applications, testCluster } from './test-cluster.fixture.ts';

describe('a watch', () => {
  it('shows every change after its list, in order', async () => {
    const { send, handle, store } = testCluster();
    const { next } = await open(handle, `?watch=1&resourceVersion=${store.revision}`);
    await send('POST', applications, application('web'));
    await send('PATCH', `${applications}/web`, { spec: { project: 'other' } });
    await send('DELETE', `${applications}/web`);
    expect([(await next()).type, (await next()).type, (await next()).type]).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('goes on from an old version without a gap', async () => {
    const { send, handle, store } = testCluster();
    const from = store.revision;
    await send('POST', applications, application('one'));
    const { next } = await open(handle, `?watch=1&resourceVersion=${from}`);
    await send('POST', applications, application('two'));
    expect([(await next()).object.metadata.name, (await next()).object.metadata.name]).toEqual(['one', 'two']);
  });

  it('ends with 410 when its version was compacted away', async () => {
    const { send, handle, store } = testCluster();
    await send('POST', applications, application('one'));
    store.compact(store.revision);
    const { next, ended } = await open(handle, '?watch=1&resourceVersion=1');
    expect(await next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await ended()).toBe(true);
  });

  it('marks the end of the initial events', async () => {
    const { send, handle } = testCluster();
    await send('POST', applications, application('one'));
    const query = '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { next } = await open(handle, query);
    expect((await next()).type).toBe('ADDED');
    expect((await next()).object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('sends bookmarks every minute and ends when its time is over', async () => {
    const { handle, time } = testCluster();
    const started = time.now();
    const types: string[] = [];
    const { body } = await handle({
      method: 'GET',
      path: `${applications}?watch=1&allowWatchBookmarks=true&timeoutSeconds=150`,
      headers: {},
    });
    await time.run(
      (async () => {
        for await (const chunk of body) types.push(JSON.parse(Buffer.from(chunk).toString()).type);
      })(),
    );
    expect(types).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    expect(time.now() - started).toBe(150_000);
  });

  it('stops at once when the client leaves, and leaves nothing behind', async () => {
    const { handle, send } = testCluster();
    const leaving = new AbortController();
    const { body } = await handle({
      method: 'GET',
      path: `${applications}?watch=1`,
      headers: {},
      signal: leaving.signal,
    });
    const reading = (async () => {
      for await (const _chunk of body);
    })();
    leaving.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
    expect((await send('POST', applications, application('later'))).status).toBe(201);
  });
});

async function open(handle: Handler, query: string) {
  const { body } = await handle({ method: 'GET', path: `${applications}${query}`, headers: {} });
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: async () => JSON.parse(Buffer.from((await iterator.next()).value).toString()),
    ended: async () => (await iterator.next()).done === true,
  };
}

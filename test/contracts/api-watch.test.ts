import { expect } from 'vitest';
import { createReflector } from '../../src/adapters/kubernetes/reflector.ts';
import { type WatchEvent, watchStream } from '../../src/adapters/kubernetes/watch-stream.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';
import { configMap, configMapPath } from './objects.ts';

type Event = WatchEvent<KubeObject & { metadata: { name: string; resourceVersion: string } }>;

describeContract('a list', (behaves) => {
  behaves('has a resourceVersion from which a watch goes on without a gap', async (cluster) => {
    const { client } = cluster;
    await client.create(configMapPath(cluster), configMap('before'));
    const { items, resourceVersion } = await client.list<KubeObject>(configMapPath(cluster));
    expect(items.map(({ metadata }) => metadata.name)).toContain('before');
    await client.create(configMapPath(cluster), configMap('one'));
    await client.mergePatch(configMapPath(cluster, 'one'), { data: { value: '2' } });
    await client.delete(configMapPath(cluster, 'one'));
    const events = await watched(cluster, `resourceVersion=${resourceVersion}`, 3);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED one',
      'MODIFIED one',
      'DELETED one',
    ]);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  behaves('is read in pages that belong to one moment', async (cluster) => {
    const { client } = cluster;
    const names = Array.from({ length: 7 }, (_, index) => `page-${index}`);
    for (const name of names) {
      await client.create(configMapPath(cluster), { ...configMap(name), metadata: { name, labels: { in: 'pages' } } });
    }
    const labelled = `${configMapPath(cluster)}?limit=4&labelSelector=in%3Dpages`;
    const first = await client.get<Page>(labelled);
    // What goes, and what comes, after the first page was read.
    await client.delete(configMapPath(cluster, 'page-5'));
    await client.create(configMapPath(cluster), {
      ...configMap('page-9'),
      metadata: { name: 'page-9', labels: { in: 'pages' } },
    });
    const second = await client.get<Page>(`${labelled}&continue=${first?.metadata.continue}`);
    const read = [first, second].map((page) => page?.items.map(({ metadata }) => metadata.name));
    expect(read).toEqual([names.slice(0, 4), names.slice(4)]);
    expect([second?.metadata.resourceVersion, second?.metadata.continue ?? '']).toEqual([
      first?.metadata.resourceVersion,
      '',
    ]);
    const { items } = await client.list<KubeObject>(configMapPath(cluster), { limit: 2, labelSelector: 'in=pages' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      ...names.filter((name) => name !== 'page-5'),
      'page-9',
    ]);
  });

  behaves('goes by fields and labels', async (cluster) => {
    const { client } = cluster;
    for (const name of ['a', 'b']) await client.create(configMapPath(cluster), configMap(name));
    const { items } = await client.list<KubeObject>(configMapPath(cluster), { fieldSelector: 'metadata.name=b' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });
});

describeContract('a watch', (behaves) => {
  behaves('without a resourceVersion begins with everything that is there', async (cluster) => {
    const { client } = cluster;
    for (const name of ['a', 'b']) await client.create(configMapPath(cluster), configMap(name));
    const events = await watched(cluster, 'fieldSelector=metadata.name%3Db', 1);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED b']);
  });

  behaves('that asks for them gets bookmarks, which carry a resourceVersion and nothing else', async (cluster) => {
    const { resourceVersion } = await cluster.client.list(configMapPath(cluster));
    const query = `resourceVersion=${resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=4`;
    const events = await watched(cluster, query, Number.POSITIVE_INFINITY);
    const last = events.at(-1);
    expect(last?.type).toBe('BOOKMARK');
    expect(Number(last?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
    expect([last?.object.metadata.name ?? '', last?.object['data']]).toEqual(['', undefined]);
  });

  behaves('sees an object that leaves its selection as deleted', async (cluster) => {
    const { client } = cluster;
    const metadata = { name: 'one', labels: { side: 'in' } };
    await client.create(configMapPath(cluster), { ...configMap('one'), metadata });
    const { resourceVersion } = await client.list(configMapPath(cluster));
    await client.mergePatch(configMapPath(cluster, 'one'), { metadata: { labels: { side: 'out' } } });
    const events = await watched(cluster, `resourceVersion=${resourceVersion}&labelSelector=side%3Din`, 1);
    expect(events[0]?.type).toBe('DELETED');
  });

  behaves('from a moment that is forgotten is refused with 410; whoever follows must list again', async (cluster) => {
    const { client, clock, signal } = cluster;
    const path = configMapPath(cluster);
    await client.create(path, configMap('after'));
    const old = watched(cluster, `resourceVersion=${cluster.forgottenVersion()}`, 1);
    await expect(old).rejects.toMatchObject({ status: 410 });
    const reflector = createReflector<KubeObject & { metadata: { resourceVersion: string } }>(
      client,
      { path, clock },
      signal,
    );
    await reflector.ready(signal);
    expect(reflector.get(`${cluster.namespace}/after`)).toBeDefined();
  });
});

/** The first events of a watch on the case's ConfigMaps. */
async function watched(cluster: ContractCluster, query: string, count: number): Promise<Event[]> {
  const ending = new AbortController();
  const path = `${configMapPath(cluster)}?watch=true&${query}`;
  const order = { path, idleMs: 60_000, opened: () => undefined };
  const events: Event[] = [];
  for await (const event of watchStream<Event['object']>(cluster, order, ending.signal)) {
    // Every namespace gets one, whenever its controller comes round.
    if (event.object.metadata.name === 'kube-root-ca.crt') continue;
    events.push(event);
    if (events.length >= count) break;
  }
  ending.abort(new Error('seen enough'));
  return events;
}

interface Page {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  readonly items: readonly KubeObject[];
}

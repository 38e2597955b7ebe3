import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { application, applications, configMaps, testCluster } from './test-cluster.fixture.ts';

describe('a request that makes no sense', () => {
  it('gets an answer that blames it, whatever is in its body', async () => {
    const { send } = testCluster();
    await send('POST', applications, application('a'));
    await send('POST', configMaps, { metadata: { name: 'a' } });
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, type, body }) => {
        const answer = await send(method, path, body, { 'content-type': type });
        expect(answer.body.message ?? '').not.toContain('Internal error');
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it('gets 404 for a path that leads nowhere and 405 for a verb that does not fit', async () => {
    const { send } = testCluster();
    expect((await send('GET', '/apis/nowhere/v1/things')).status).toBe(404);
    expect((await send('GET', `${applications}/%E0%A4%A`)).status).toBe(404);
    expect((await send('PUT', applications, application('a'))).status).toBe(405);
    expect((await send('OPTIONS', applications)).status).toBe(405);
    expect((await send('POST', '/api/v1/configmaps', { metadata: { name: 'a' } })).status).toBe(405);
  });
});

const metadataField = fc.constantFrom('name', 'labels', 'finalizers', 'ownerReferences', 'resourceVersion', 'uid');
const metadata = fc.oneof(fc.jsonValue(), fc.dictionary(metadataField, fc.jsonValue()));
const object = fc.record(
  {
    apiVersion: fc.constantFrom('v1', 'argoproj.io/v1alpha1'),
    kind: fc.constantFrom('ConfigMap', 'Application'),
    metadata,
    spec: fc.jsonValue(),
    data: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'none'),
  path: fc.constantFrom('', '/metadata', '/metadata/labels', '/spec/project', '/__proto__/x', 'x'),
  from: fc.constantFrom('/spec', '/nothing'),
  value: fc.jsonValue(),
});
const requests = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
  path: fc.constantFrom(configMaps, `${configMaps}/a`, applications, `${applications}/a?fieldManager=m`),
  type: fc.constantFrom(
    'application/json',
    'application/yaml',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ),
  body: fc.oneof(object, fc.jsonValue(), fc.array(operation)),
});

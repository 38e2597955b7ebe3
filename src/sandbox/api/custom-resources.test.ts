import { describe, expect, it } from 'vitest';
import { testCluster } from './test-cluster.fixture.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/argocd/widgets';

describe('a CustomResourceDefinition', () => {
  it('serves its kind as soon as it is created, and says so', async () => {
    const { send } = testCluster();
    expect((await send('GET', widgets)).status).toBe(404);
    expect((await send('POST', definitions, definition())).status).toBe(201);
    const { body } = await send('GET', `${definitions}/widgets.example.com`);
    expect(body.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
    expect((await send('POST', widgets, widget('w'))).status).toBe(201);
    expect((await send('GET', '/apis/example.com')).body).toMatchObject({ name: 'example.com' });
  });

  it('checks, completes and prunes by its schema', async () => {
    const { send } = testCluster();
    await send('POST', definitions, definition());
    const wrong = await send('POST', widgets, { ...widget('w'), spec: { size: 'big' } });
    expect(wrong.body.message).toContain('spec.size in body must be of type integer: "string"');
    const made = await send('POST', widgets, { ...widget('w'), spec: { size: 1, colour: 'red', unknown: true } });
    expect(made.body.spec).toEqual({ size: 1, colour: 'red', mode: 'auto' });
    expect(made.headers['warning']).toBe('299 - "unknown field \\"spec.unknown\\""');
  });

  it('takes its objects with it, and waits for those that a finalizer holds', async () => {
    const { send } = testCluster();
    await send('POST', definitions, definition());
    await send('POST', widgets, widget('plain'));
    await send('POST', widgets, { ...widget('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await send('DELETE', `${definitions}/widgets.example.com`);
    expect((await send('GET', widgets)).body.items.map((item) => item.metadata.name)).toEqual(['held']);
    await send('PATCH', `${widgets}/held`, { metadata: { finalizers: null } });
    expect((await send('GET', widgets)).status).toBe(404);
    expect((await send('GET', `${definitions}/widgets.example.com`)).status).toBe(404);
  });

  it('is refused when its name is not plural.group', async () => {
    const { send } = testCluster();
    const answer = await send('POST', definitions, { ...definition(), metadata: { name: 'wrong' } });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    const empty = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' } };
    expect((await send('POST', definitions, empty)).status).toBe(422);
  });
});

function widget(name: string) {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } };
}

function definition() {
  const spec = {
    type: 'object',
    required: ['size'],
    properties: { size: { type: 'integer' }, colour: { type: 'string' }, mode: { type: 'string', default: 'auto' } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
}

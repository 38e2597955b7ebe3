import { describe, expect, it } from 'vitest';
import { platformOf } from '../../test/harness.ts';
import type { KubeClient } from '../adapters/kubernetes/client.ts';
import { ApiError } from '../adapters/kubernetes/errors.ts';
import { isBootstrapped } from './is-bootstrapped.ts';

const signal = new AbortController().signal;
const dag = 'apiVersion: tiphys.dev/v1\nkind: Platform\nname: p\nROOTstacks: { s: { apps: { a: {} } } }\n';
const withRoot = platformOf(dag.replace('ROOT', 'root: p-root\n'));
const withoutRoot = platformOf(dag.replace('ROOT', ''));

const api = '/apis/argoproj.io/v1alpha1';
const root = `${api}/namespaces/argocd/applications/p-root`;
const mark = '/api/v1/namespaces/argocd/configmaps/tiphys-bootstrap';
const served = { [api]: { resources: [{ name: 'applications' }] } };
const handedOver = { [mark]: { data: { platform: 'p', state: 'handed-over' } } };
const installing = { [mark]: { data: { platform: 'p', state: 'installing' } } };

describe('a cluster (R7.6)', () => {
  it.each([
    ['that serves no Applications is empty', {}, withRoot, 'empty'],
    ['that has only Argo Workflows is empty', { [api]: { resources: [{ name: 'workflows' }] } }, withRoot, 'empty'],
    ['with its root is ready', { ...served, [root]: {} }, withRoot, 'ready'],
    ['with its root is ready, whoever installed it', { ...served, ...handedOver, [root]: {} }, withRoot, 'ready'],
    ['with somebody else’s Argo CD and no root is left alone', served, withRoot, 'ready'],
    ['that we bootstrapped and whose root is gone is unfinished', { ...served, ...handedOver }, withRoot, 'unfinished'],
    ['whose bootstrap was cut short is unfinished', { ...served, ...installing }, withRoot, 'unfinished'],
    [
      'whose bootstrap was cut short is unfinished, root or not',
      { ...served, ...installing },
      withoutRoot,
      'unfinished',
    ],
    ['that we bootstrapped for a platform without a root is ready', { ...served, ...handedOver }, withoutRoot, 'ready'],
  ] as const)('%s', async (_what, objects, platform, state) => {
    expect(await isBootstrapped(clientOf(objects), platform, signal)).toBe(state);
  });

  it('whose marks we may not see is left alone', async () => {
    const refused = new ApiError({ message: 'forbidden', status: 403, method: 'GET', path: mark });
    expect(await isBootstrapped(clientOf({ ...served, [mark]: refused }), withRoot, signal)).toBe('ready');
  });

  it('is asked nothing more than its root when that is there: nobody needs rights for more', async () => {
    const asked: string[] = [];
    await isBootstrapped(clientOf({ ...served, [root]: {} }, asked), withRoot, signal);
    expect(asked).toEqual([api, root]);
  });
});

function clientOf(objects: Readonly<Record<string, unknown>>, asked: string[] = []): KubeClient {
  const get = async (path: string): Promise<unknown> => {
    asked.push(path);
    const found = objects[path];
    if (found instanceof Error) throw found;
    return found;
  };
  return { get } as KubeClient;
}

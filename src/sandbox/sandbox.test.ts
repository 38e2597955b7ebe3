import { describe, expect, test } from 'vitest';
import {
  applicationOf,
  type DrivenSandbox,
  deleteCascading,
  drive,
  everyType,
  objectOf,
  operationOf,
  patch,
  platformFrom,
  platformNamed,
  settle,
  sync,
  verdictOf,
} from './sandbox.fixture.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { virtualTime } from './time.ts';

const minutes = 60_000;

describe('a platform in the sandbox', () => {
  test('root, stacks and apps of hello become Synced and Healthy when each is synced by an operation', async () => {
    const driven = drive({ platform: platformNamed('hello'), seed: 7 });
    await settle(driven, 1000);
    for (const name of ['hello-root', 'hello-base', 'hello-shop', ...hello]) await sync(driven, name);
    await settle(driven, 7 * minutes);
    for (const name of ['hello-root', 'hello-base', 'hello-shop', ...hello]) {
      expect(`${name} ${verdictOf(driven, name)}`).toBe(`${name} Synced Healthy`);
      expect(driven.sandbox.truth(name)).toEqual({ healthy: true, why: 'everything is there and ready' });
    }
  });

  test('nothing starts by itself after the bootstrap: the root is held', async () => {
    const driven = drive({ platform: platformNamed('hello') });
    await settle(driven, 10 * minutes);
    expect(verdictOf(driven, 'hello-root')).toBe('OutOfSync Missing');
    expect(applicationOf(driven, 'hello-base')).toBeUndefined();
    expect(resourceNames(driven, 'hello-root')).toEqual(['base', 'shop', 'hello-base', 'hello-shop']);
  });

  test('a bare cluster has Argo CD and no root', async () => {
    const driven = drive({ platform: platformNamed('hello'), start: 'bare' });
    await settle(driven, 1000);
    expect(applicationOf(driven, 'hello-root')).toBeUndefined();
    expect(driven.sandbox.truth('hello-root')).toEqual({ healthy: false, why: 'its Application is not there' });
  });

  test('without a root the parents of the stacks, and apps without a parent, are there and held', async () => {
    const driven = drive({
      platform: platformFrom('stacks:\n  a: { application: pa, apps: { x: {} } }\n  b: { apps: { y: {} } }'),
    });
    await settle(driven, 5 * minutes);
    expect(verdictOf(driven, 'pa')).toBe('OutOfSync Missing');
    expect(verdictOf(driven, 'y')).toBe('OutOfSync Missing');
    expect(applicationOf(driven, 'x')).toBeUndefined();
  });

  test('the same seed gives the same changes to the byte, another seed others', async () => {
    const record = async (seed: number): Promise<string> => {
      const driven = drive({ platform: platformNamed('hello'), seed });
      await release(driven);
      await settle(driven, 10 * minutes);
      return JSON.stringify(driven.sandbox.changes);
    };
    const first = await record(3);
    expect(await record(3)).toBe(first);
    expect(await record(4)).not.toBe(first);
  });

  test('a released root brings everything up by itself, and recreates what is deleted', async () => {
    const driven = drive({ platform: platformNamed('hello') });
    await release(driven);
    await settle(driven, 8 * minutes);
    for (const name of hello) expect(`${name} ${verdictOf(driven, name)}`).toBe(`${name} Synced Healthy`);
    driven.sandbox.store.remove(driven.applications, 'argocd', 'web', 'test');
    await settle(driven, 5000);
    expect(verdictOf(driven, 'web')).toBe('Synced Healthy');
  });

  test('a custom resource needs the definition that its operator brings', async () => {
    const driven = drive({
      platform: platformFrom(
        'stacks:\n  s: { apps: { pg-operator: { type: operator }, db: { type: database, needs: [pg-operator] } } }',
      ),
    });
    await settle(driven, 1000);
    await sync(driven, 'db');
    expect(operationOf(driven, 'db')).toMatchObject({
      phase: 'Failed',
      message: 'one or more synchronization tasks are not valid',
    });
    await sync(driven, 'pg-operator');
    await sync(driven, 'db');
    expect(operationOf(driven, 'db')).toMatchObject({ phase: 'Succeeded' });
    expect(objectOf(driven, 'acid.zalan.do/v1', 'postgresql', 'db/db')).toBeDefined();
  });

  test('a part can be synced on its own, and who needs it uses it', async () => {
    const driven = drive({
      platform: platformFrom(
        'stacks:\n  s: { apps: { prometheus: { parts: { crds: { kinds: [CustomResourceDefinition] } } }, web: { needs: ["prometheus#crds"] } } }',
      ),
    });
    await settle(driven, 1000);
    const resources = ['servicemonitors', 'prometheusrules'].map((plural) => ({
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      name: `${plural}.monitoring.coreos.com`,
    }));
    await sync(driven, 'web');
    expect(operationOf(driven, 'web')).toMatchObject({ phase: 'Failed' });
    await sync(driven, 'prometheus', { resources });
    expect(verdictOf(driven, 'prometheus')).toBe('OutOfSync Healthy');
    await sync(driven, 'web');
    expect(operationOf(driven, 'web')).toMatchObject({ phase: 'Succeeded' });
  });
});

describe('what a client meets', () => {
  test('a patch that the controller overlooks is seen after another one', async () => {
    let overlook = true;
    const driven = drive({ platform: platformNamed('hello'), timing: { overlooks: () => overlook } });
    await settle(driven, 1000);
    await sync(driven, 'hello-root');
    expect(operationOf(driven, 'hello-root')).toBeUndefined();
    overlook = false;
    patch(driven, 'hello-root', (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { nonce: '2' } },
    }));
    await settle(driven, 2000);
    expect(operationOf(driven, 'hello-root')).toMatchObject({ phase: 'Succeeded' });
  });

  test('a restart of Argo CD in the middle of an operation does not lose it', async () => {
    const driven = drive({ platform: everyType });
    await settle(driven, 1000);
    await sync(driven, 'simple', {}, 50);
    expect(operationOf(driven, 'simple')).toMatchObject({ phase: 'Running' });
    driven.sandbox.restartArgoCd();
    await settle(driven, 2 * minutes);
    expect(operationOf(driven, 'simple')).toMatchObject({ phase: 'Succeeded' });
    expect(verdictOf(driven, 'simple')).toBe('Synced Healthy');
  });

  test('an automated operation under a hold cannot be terminated, only taken away', async () => {
    const driven = drive({ platform: everyType });
    await settle(driven, 1000);
    patch(driven, 'simple', (object) => ({ ...object, operation: { initiatedBy: { automated: true }, sync: {} } }));
    await settle(driven, 1 * minutes);
    const blocked = { phase: 'Running', message: 'Sync operation blocked by sync window' };
    expect(operationOf(driven, 'simple')).toMatchObject(blocked);
    patch(driven, 'simple', (object) => {
      const status = object['status'] as { operationState: object };
      return { ...object, status: { ...status, operationState: { ...status.operationState, phase: 'Terminating' } } };
    });
    await settle(driven, 1 * minutes);
    expect(operationOf(driven, 'simple')).toMatchObject({ ...blocked, phase: 'Terminating' });
    patch(driven, 'simple', ({ operation: _taken, ...object }) => object);
    await sync(driven, 'simple');
    expect(operationOf(driven, 'simple')).toMatchObject({ phase: 'Succeeded' });
  });

  test('who does not take the state of the last operation away meets its end in the next one', async () => {
    const driven = drive({ platform: everyType });
    await settle(driven, 1000);
    await sync(driven, 'simple');
    patch(driven, 'simple', (object) => ({ ...object, operation: { sync: {} } }));
    await settle(driven, 50);
    expect(operationOf(driven, 'simple')).toMatchObject({ phase: 'Running', finishedAt: expect.any(String) });
  });

  test('a frozen Application is left alone until it thaws', async () => {
    const driven = drive({ platform: everyType });
    const annotate = (annotations: Record<string, string>) =>
      patch(driven, 'simple', (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
    annotate({ 'argocd.argoproj.io/skip-reconcile': 'true' });
    await sync(driven, 'simple');
    expect(applicationOf(driven, 'simple')?.['status']).toEqual({});
    annotate({});
    await settle(driven, 5000);
    expect(operationOf(driven, 'simple')).toMatchObject({ phase: 'Succeeded' });
  });

  test('after a change of the health checks live changes are not noticed until the app is refreshed', async () => {
    const driven = drive({ platform: everyType });
    await settle(driven, 1000);
    await sync(driven, 'simple');
    const settings = driven.sandbox.types.byPlural('', 'configmaps');
    if (settings === undefined) throw new Error('no ConfigMaps');
    driven.sandbox.store.change(settings, 'argocd', 'argocd-cm', 'test', (object) => ({
      ...object,
      data: { 'resource.customizations.health.argoproj.io_Application': '--' },
    }));
    await settle(driven, 80_000);
    expect(driven.sandbox.truth('simple').healthy).toBe(true);
    expect(verdictOf(driven, 'simple')).toBe('Synced Progressing');
    patch(driven, 'simple', (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
    }));
    await settle(driven, 300);
    expect(verdictOf(driven, 'simple')).toBe('Synced Healthy');
  });

  test.each([
    ['Retain', 'Released'],
    ['Delete', undefined],
  ])('a volume with policy %s is %s after its claim has gone', async (policy, phase) => {
    const driven = drive({ platform: everyType });
    await settle(driven, 1000);
    await sync(driven, 'database');
    await settle(driven, 6 * minutes);
    const type = driven.sandbox.types.byPlural('', 'persistentvolumes');
    const volume = type === undefined ? undefined : driven.sandbox.store.list(type)[0];
    if (type === undefined || volume === undefined) throw new Error('no volume');
    driven.sandbox.store.change(type, undefined, volume.metadata.name, 'test', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), persistentVolumeReclaimPolicy: policy },
    }));
    deleteCascading(driven, 'database');
    await settle(driven, 1 * minutes);
    expect(applicationOf(driven, 'database')).toBeUndefined();
    const left = driven.sandbox.store.get(type, undefined, volume.metadata.name);
    expect((left?.['status'] as { phase?: string } | undefined)?.phase).toBe(phase);
  });

  test('vault answers its health endpoint as the scenario says', async () => {
    const states = [{ state: 'uninitialized', forMs: 30_000 }, { state: 'sealed', forMs: 30_000 }, { state: 'active' }];
    const scenario = { defaults: {}, apps: new Map([['vault', { readyMs: 10_000, states }]]) };
    const driven = drive({ platform: everyType, scenario });
    await settle(driven, 1000);
    await sync(driven, 'vault', {}, 2000);
    const answers: number[] = [];
    for (let step = 0; step < 4; step++) {
      answers.push(await probe(driven, '/api/v1/namespaces/vault/services/vault:8200/proxy/v1/sys/health'));
      await settle(driven, 30_000);
    }
    expect(answers).toEqual([503, 501, 503, 200]);
  });

  test('a sandbox is made in a moment and costs nothing while nothing happens', () => {
    const sandbox: Sandbox = createSandbox({
      record: 'all',
      platform: platformNamed('reference'),
      time: virtualTime(),
    });
    expect(sandbox.changes.length).toBeLessThan(20);
    sandbox.stop();
  });
});

const hello = ['cert-manager', 'ingress', 'database', 'web'];
async function release(driven: DrivenSandbox): Promise<void> {
  const projects = driven.sandbox.types.byPlural('argoproj.io', 'appprojects');
  if (projects === undefined) throw new Error('no AppProjects');
  driven.sandbox.store.change(projects, 'argocd', 'default', 'test', (object) => {
    const { syncWindows: _held, ...spec } = object['spec'] as { syncWindows?: unknown };
    return { ...object, spec };
  });
  patch(driven, 'hello-root', (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  }));
}

function resourceNames(driven: DrivenSandbox, name: string): string[] {
  const status = applicationOf(driven, name)?.['status'] as { resources: { name: string }[] };
  return status.resources.map((resource) => resource.name);
}

async function probe({ sandbox, time }: DrivenSandbox, path: string): Promise<number> {
  const answer = await time.run(sandbox.handle({ method: 'GET', path, headers: {} }));
  return answer.status;
}

import { describe, expect, test } from 'vitest';
import { platformNamed } from '../../src/sandbox/sandbox.fixture.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Fault } from '../../src/sandbox/world/fault.ts';
import { type AppScenario, emptyScenario } from '../../src/sandbox/world/scenario.ts';
import { createWorld } from '../../src/sandbox/world/world.ts';
import { annotations } from './annotations.ts';
import type { Pace } from './pace.ts';
import { publishedObjects } from './published-objects.ts';

describe('the script of an object', () => {
  test('a pod is ready after the time of its app, divided by the speed', () => {
    expect(podOf(find({ app: 'metallb', scenario: { readyMs: 60_000 } }, 'Deployment'))).toMatchObject({
      [annotations.readyAfter]: '1000ms',
    });
  });

  test('at the greatest speed nothing takes time', () => {
    expect(podOf(find({ app: 'metallb', pace: 'max' }, 'Deployment'))).toMatchObject({
      [annotations.readyAfter]: '0ms',
      [annotations.deleteAfter]: '0ms',
    });
  });

  test('a pod that stays ready only for a while says for how long', () => {
    const states = [{ state: 'ready', forMs: 60_000 }, { state: 'progressing' }];
    expect(podOf(find({ app: 'metallb', scenario: { states } }, 'Deployment'))).toMatchObject({
      [annotations.unreadyAfter]: '1000ms',
    });
  });

  test('a custom resource carries its states with the time from one to the next', () => {
    const states = [
      { state: 'progressing', forMs: 60_000 },
      { state: 'HEALTH_WARN', forMs: 120_000 },
      { state: 'HEALTH_OK' },
    ];
    const steps = scriptOf(find({ app: ceph, scenario: { states } }, 'CephCluster'));
    expect(steps.map(({ after, status, observed }) => [after, status.ceph?.health, observed])).toEqual([
      ['8ms', undefined, true],
      ['1000ms', 'HEALTH_WARN', true],
      ['2000ms', 'HEALTH_OK', true],
    ]);
  });

  test('a state that comes twice does not look the same twice, or its script would never end', () => {
    const states = ['HEALTH_WARN', 'HEALTH_OK', 'HEALTH_WARN', 'HEALTH_OK'].map((state) => ({ state, forMs: 1000 }));
    const steps = scriptOf(find({ app: ceph, scenario: { states } }, 'CephCluster'));
    expect(new Set(steps.map(({ status }) => JSON.stringify(status))).size).toBe(4);
  });

  test('the operator of a custom resource puts a finalizer on it', () => {
    expect(find({ app: ceph }, 'CephCluster').metadata.annotations).toMatchObject({
      [annotations.finalizers]: 'ceph.rook.io/cephcluster',
    });
  });

  test('the pod of a hook ends, and a failing one is not started again for ever', () => {
    const job = find({ app: 'keycloak', scenario: { hooks: ['PreSync'] } }, 'Job');
    expect(job['spec']).toMatchObject({ template: { spec: { restartPolicy: 'Never' } } });
  });
});

describe('a fault', () => {
  test('degraded: the pods of a Deployment never get ready, and it says so soon', () => {
    const deployment = find(
      { app: 'metallb', faults: [{ app: 'metallb', kind: 'degraded' }], pace: 'max' },
      'Deployment',
    );
    expect(podOf(deployment)).toMatchObject({ [annotations.readyAfter]: 'never' });
    expect(deployment['spec']).toMatchObject({ progressDeadlineSeconds: 1 });
  });

  test('degraded: a database reports it, and its claim has lost its volume', () => {
    const faults: Fault[] = [{ app: 'pg-clusters', kind: 'degraded' }];
    const steps = scriptOf(find({ app: 'pg-clusters', faults }, 'postgresql'));
    expect(steps.at(-1)?.status).toMatchObject({ PostgresClusterStatus: 'CreateFailed' });
    expect(find({ app: 'pg-clusters', faults }, 'PersistentVolumeClaim').metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
    });
    expect(find({ app: 'pg-clusters' }, 'PersistentVolumeClaim').metadata.annotations).toBeUndefined();
  });

  test('never-healthy: the script ends where it begins', () => {
    const faults: Fault[] = [
      { app: ceph, kind: 'never-healthy' },
      { app: 'metallb', kind: 'never-healthy' },
    ];
    expect(scriptOf(find({ app: ceph, faults }, 'CephCluster')).map(({ status }) => status.phase)).toEqual([
      'Progressing',
    ]);
    const deployment = find({ app: 'metallb', faults }, 'Deployment');
    expect(podOf(deployment)).toMatchObject({ [annotations.readyAfter]: 'never' });
    expect(deployment['spec']).not.toHaveProperty('progressDeadlineSeconds');
  });

  test('sealed: Vault says nothing else', () => {
    const vault = find({ app: 'vault', faults: [{ app: 'vault', kind: 'sealed' }] }, 'StatefulSet');
    expect(podOf(vault)[annotations.vault]).toBe('[{"state":"sealed"}]');
  });

  test('stuck-finalizer: in the manifest of a workload, and by its operator on a custom resource', () => {
    const faults: Fault[] = [
      { app: ceph, kind: 'stuck-finalizer' },
      { app: 'metallb', kind: 'stuck-finalizer' },
    ];
    expect(find({ app: 'metallb', faults }, 'Deployment').metadata.finalizers).toEqual(['example.com/never-removed']);
    expect(find({ app: ceph, faults }, 'CephCluster').metadata.annotations).toMatchObject({
      [annotations.finalizers]: 'ceph.rook.io/cephcluster,example.com/never-removed',
    });
  });

  test('sync-fails: only what every attempt tries is refused, and it says how often', () => {
    const label = 'testbed.tiphys.dev/refused';
    const marks = (cast: Cast): (string | undefined)[] => objects(cast).map(({ metadata }) => metadata.labels?.[label]);
    const faults: Fault[] = [{ app: 'metallb', kind: 'sync-fails', times: 2 }];
    expect(marks({ app: 'metallb', faults })).toEqual(['2', '2', '2']);
    expect(marks({ app: 'metallb', faults, scenario: { waves: 3 } })).toEqual(['2', undefined, undefined]);
    expect(marks({ app: 'metallb', faults, scenario: { hooks: ['PreSync'] } })).toEqual([
      undefined,
      undefined,
      undefined,
      '2',
    ]);
    expect(marks({ app: 'metallb', faults: [{ app: 'metallb', kind: 'sync-fails' }] })[0]).toBe('always');
  });
});

const ceph = 'ceph-cluster-pn-hyd-a';

interface Cast {
  readonly app: string;
  readonly scenario?: AppScenario;
  readonly faults?: readonly Fault[];
  readonly pace?: Pace;
}

function objects({ app, scenario = {}, faults = [], pace = 60 }: Cast): readonly KubeObject[] {
  const platform = platformNamed('reference');
  const world = createWorld({ platform, faults, scenario: { ...emptyScenario, apps: new Map([[app, scenario]]) } });
  return publishedObjects(world, platform, pace).get(`apps/${app}`) ?? [];
}

function find(cast: Cast, kind: string): KubeObject {
  const found = objects(cast).find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`${cast.app} has no ${kind}`);
  return found;
}

function podOf(object: KubeObject): Readonly<Record<string, string>> {
  return (object['spec'] as { template: { metadata: { annotations: Record<string, string> } } }).template.metadata
    .annotations;
}

interface Step {
  readonly after: string;
  readonly observed: boolean;
  readonly status: { readonly phase?: string; readonly ceph?: { readonly health: string } };
}

function scriptOf(object: KubeObject): readonly Step[] {
  return JSON.parse(object.metadata.annotations?.[annotations.script] ?? '[]') as Step[];
}

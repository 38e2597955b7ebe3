import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { OperatorError } from '../../src/engine/operator-error.ts';
import { readStatus } from '../../src/engine/status.ts';
import type { TeardownOrder } from '../../src/engine/teardown.ts';
import { validate } from '../../src/engine/validate.ts';
import { administrator, serviceAccountIdentity } from '../../src/sandbox/api/identities.ts';
import { type Bench, bench, deployOn, executorOn, type Played, platformOf, play, teardownOn } from '../harness.ts';
import {
  namesRight,
  type Right,
  type RoleName,
  type RoleObject,
  rightsOf,
  roleObjects,
  roleWithout,
} from '../real/rights.ts';
import { admin } from './look.ts';
import { rightsDag } from './rights-dag.ts';
import { serveSnapshots } from './snapshots.ts';

type Files = Readonly<Record<RoleName, readonly RoleObject[]>>;

const files: Files = {
  validate: roleObjects('validate'),
  deploy: roleObjects('deploy'),
  teardown: roleObjects('teardown'),
};

const platform = platformOf(rightsDag);
// Slow to go, so that a teardown lives long enough to renew its lease.
const scenario = { defaults: { deleteMs: 40_000 }, apps: new Map([['web', { hooks: ['PreSync'] as const }]]) };

/** Kinds that no app of the embedded cluster consists of; test/real/rbac.test.ts has them. */
const notPlayed = ['temporalclusters', 'vaults', 'applications'];

describe('the roles of deploy/rbac', () => {
  it('are enough for a whole life: deploy, validate, status, teardown', async () => {
    const on = await clusterWith(files);
    expect((await deployOn(as(on, 'deploy'))).run).toMatchObject({ outcome: 'success' });
    expect((await validated(on)).run).toMatchObject({ outcome: 'healthy' });
    const { world } = as(on, 'validate');
    expect(await on.time.run(readStatus(world, platform, new AbortController().signal))).toMatchObject({ phase: 3 });
    expect((await teardownOn(as(on, 'teardown'), { includeCrds: true })).run).toMatchObject({ outcome: 'clean' });
    on.close();
    const refused = on.sandbox.requests.filter(({ status }) => status === 403);
    expect(refused.map(({ method, path, user }) => `${user} ${method} ${path}`)).toEqual([]);
  });

  it('let who only looks write nothing at all', async () => {
    const writing = files.validate.flatMap(({ rules = [] }) => rules.flatMap(({ verbs }) => verbs));
    expect([...new Set(writing)].sort()).toEqual(['get', 'list', 'watch']);
    const on = await clusterWith(files);
    const { told } = await attempt(() => deployOn(as(on, 'validate')));
    on.close();
    expect(told.join('\n')).toContain('cannot create resource "leases"');
  });

  it('let who only deploys delete no Application', async () => {
    const on = await clusterWith(files);
    expect((await deployOn(as(on, 'deploy'))).run).toMatchObject({ outcome: 'success' });
    const { told } = await attempt(() => teardownOn(as(on, 'deploy')));
    on.close();
    expect(told.join('\n')).toContain('cannot list resource "namespaces"');
    expect(
      on.sandbox.requests.some(({ method, resource }) => method === 'DELETE' && resource?.plural === 'applications'),
    ).toBe(false);
  });

  it('are asked for once: a right that is missing does not come by waiting', async () => {
    const [right] = rightsOf('deploy').filter(({ verb, resource }) => verb === 'patch' && resource === 'applications');
    const on = await clusterWith(without(right as Right));
    const { events } = await deployOn(as(on, 'deploy'));
    on.close();
    expect(events.filter(({ type }) => type === 'node-failed').length).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === 'node-retrying')).toEqual([]);
  });

  it.each(played('deploy'))('deploy says what is missing when it may not %s', async (_name, right) => {
    const on = await clusterWith(without(right));
    const deployed = await attempt(() => deployOn(as(on, 'deploy')));
    // Hooks are read by validate only, which whoever deploys wants to see, too.
    const looked = isHook(right) ? await attempt(() => validatedBy(on, 'deploy')) : deployed;
    on.close();
    expectNamed(looked, right);
  });

  it.each(played('validate'))('validate says what is missing when it may not %s', async (_name, right) => {
    const on = await clusterWith(without(right));
    expect((await deployOn(as(on, 'deploy'))).run).toMatchObject({ outcome: 'success' });
    const isStatus = right.resource === 'leases' || right.resource === 'workflows';
    const looked = await attempt(() => (isStatus ? statusOf(on) : validated(on)));
    on.close();
    // A look is over before its watch would have told anything: it is asked for, refused, and not missed.
    if (right.verb === 'watch') expect(on.sandbox.requests.some(({ status }) => status === 403)).toBe(true);
    else expectNamed(looked, right);
  });

  it.each(played('teardown'))('teardown says what is missing when it may not %s', async (_name, right) => {
    const on = await clusterWith(without(right));
    expect((await deployOn(as(on, 'deploy'))).run).toMatchObject({ outcome: 'success' });
    const isSnapshot = right.resource === 'volumesnapshots';
    if (isSnapshot) await serveSnapshots(on);
    await leaveClaim(on);
    const isVolumeDeletion = right.resource === 'persistentvolumes' && right.verb === 'delete';
    if (isVolumeDeletion) await leaveVolume(on);
    const pvPolicy = isSnapshot ? 'snapshot' : isVolumeDeletion ? 'delete' : 'retain';
    const order: Partial<TeardownOrder> = { includeCrds: true, pvPolicy };
    const removed = await attempt(() => teardownOn(as(on, 'teardown'), order));
    on.close();
    expectNamed(removed, right);
  });
});

function played(name: RoleName): [string, Right][] {
  return rightsOf(name)
    .filter(({ role, resource }) => role.kind === 'Role' || !notPlayed.includes(resource))
    .map((right) => [`${right.verb} ${right.resource}`, right]);
}

function without(right: Right): Files {
  const less = files[right.of].map((one) =>
    one.kind === right.role.kind && one.rules !== undefined ? roleWithout(right) : one,
  );
  return { ...files, [right.of]: less };
}

function isHook({ resource }: Right): boolean {
  return resource === 'jobs';
}

/** One of the sentences names the right in Kubernetes' words. */
function expectNamed({ told }: Attempt, right: Right): void {
  const words = told.join('\n');
  expect([words, namesRight(words, right)]).toEqual([words, true]);
}

async function clusterWith(given: Files): Promise<Bench> {
  const users = (Object.keys(files) as RoleName[]).map(
    (name) => [name, serviceAccountIdentity('argocd', `tiphys-${name}`)] as const,
  );
  const on = bench(platform, { identities: new Map([['admin', administrator], ...users]), scenario });
  for (const object of Object.values(given).flat()) await create(on, object);
  return on;
}

async function create(on: Bench, object: RoleObject): Promise<void> {
  if (object.kind === 'ServiceAccount') return;
  const { namespace } = object.metadata;
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const path = `/apis/rbac.authorization.k8s.io/v1${within}/${object.kind.toLowerCase()}s`;
  expect((await admin(on, 'POST', path, object)).status).toBe(201);
}

/** The same cluster, with the ServiceAccount of this command at it. */
function as(on: Bench, command: RoleName): Bench {
  return { ...on, world: executorOn(platform, on, 3, command).world };
}

/** A claim as a StatefulSet leaves it: not managed by the Application. */
async function leaveClaim(on: Bench): Promise<void> {
  await admin(on, 'POST', '/api/v1/namespaces/web/persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'left' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
}

/** A volume whose claim has gone, and which its provisioner does not delete. */
async function leaveVolume(on: Bench): Promise<void> {
  await admin(on, 'POST', '/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'left' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: { namespace: 'web', name: 'gone' },
      hostPath: { path: '/data' },
      persistentVolumeReclaimPolicy: 'Delete',
    },
  });
}

interface Attempt {
  readonly told: readonly string[];
}

async function attempt(work: () => Promise<Played | undefined>): Promise<Attempt> {
  try {
    const events = (await work())?.events ?? [];
    return { told: events.flatMap(sentencesOf) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    expect(error.hint).toContain('docs/permissions.md');
    return { told: [error.message] };
  }
}

/** What a person is told of trouble. */
function sentencesOf(event: RunEvent): string[] {
  switch (event.type) {
    case 'node-failed':
    case 'node-orphaned':
      return [event.because];
    case 'warning':
    case 'lease-lost':
      return [event.message];
    case 'orphans':
      return event.objects.map(({ because }) => because);
    default:
      return [];
  }
}

function validated(on: Bench): Promise<Played> {
  return validatedBy(on, 'validate');
}

function validatedBy(on: Bench, command: RoleName): Promise<Played> {
  const order = { platform, runId: 'validate-1', scope: { kind: 'platform' }, found: () => undefined } as const;
  return on.time.run(play(validate(as(on, command).world, order, new AbortController().signal)));
}

async function statusOf(on: Bench): Promise<undefined> {
  await on.time.run(readStatus(as(on, 'validate').world, platform, new AbortController().signal));
}

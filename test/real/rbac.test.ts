import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf } from '../../src/sandbox/world/definitions.ts';
import { namesRight, type Right, type RoleName, rightsOf, roleWithout } from './rights.ts';
import { publishRightsPlatform } from './rights-platform.ts';
import { applyRole, kubeconfigFor, userOf } from './roles.ts';
import { type Command, freshTestbed, type RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

let bed: RealBed;
let folder: string;

beforeAll(async () => {
  bed = await freshTestbed('real-rbac');
  folder = await publishRightsPlatform(bed);
}, 400_000);

afterAll(() => bed?.close());

/** Rights of which a refusal is not told: a look is over before its watch would have shown anything. Only the API server's log tells. */
const isSilent = ({ of, verb }: Right): boolean => of === 'validate' && verb === 'watch';

/** The hold is kept by a watch, without which nothing is begun. */
const isForKeeping = ({ verb, resource }: Right): boolean => verb === 'watch' && resource === 'appprojects';

const isForGivingBack = ({ verb, resource }: Right): boolean => verb === 'delete' && resource === 'leases';

const isLook = ({ role }: Right): boolean => role.kind === 'ClusterRole';

/** Claims go first, then the namespaces, then the volumes. */
const swept = ['persistentvolumeclaims', 'namespaces', 'persistentvolumes'];

// One after the other: each leaves the cluster as the next one wants it.
describe.sequential('the roles of deploy/rbac on a real API server', () => {
  describe('deploy, of Applications that nobody has synced yet', () => {
    // Before any app is begun; the others may find everything done, and need their right to hand over.
    it.each([
      ...some('deploy', isForKeeping),
      ...some('deploy', (right) => right.role.kind === 'Role' && !isForKeeping(right) && !isForGivingBack(right)),
    ])('says what is missing when it may not %s', async (_name, right) => {
      // A lease that has run out has to be changed, not made.
      if (right.resource === 'leases' && right.verb === 'patch') await leaveLease();
      await expectRefused(right, 'deploy');
    });

    it('works, and only warns, when it may not delete leases', async () => {
      const [right] = rightsOf('deploy').filter(({ verb }) => verb === 'delete');
      expect(await exitWithout(right as Right, 'deploy')).toBe(0);
      await bed.client.delete(leasePath);
    });

    it('works', async () => {
      expect((await bed.run('deploy', folder)).report).toMatchObject({
        outcome: 'success',
        failures: [],
        warnings: [],
      });
    });
  });

  describe('deploy and validate, of what is Healthy', () => {
    it.each([...some('deploy', isLook), ...some('validate', (right) => !isSilent(right))])(
      'says what is missing when it may not %s',
      async (_name, right) => {
        const isHook = right.resource === 'jobs';
        const isStatus = right.resource === 'leases' || right.resource === 'workflows';
        const command = isStatus ? 'status' : isHook ? 'validate' : right.of;
        await expectRefused(right, command, '--kubeconfig', kubeconfigFor(bed.state, right.of));
      },
    );

    it.each(some('validate', isSilent))(
      'validate is refused, and sees enough, when it may not %s',
      async (_name, right) => {
        const since = Date.now();
        await withoutRight(right, async () => expect((await bed.run('validate', folder)).exitCode).toBe(0));
        const refused = (await bed.audit(since)).filter(
          ({ user, code }) => user === userOf('validate') && code === 403,
        );
        expect(refused.map(({ verb, resource }) => `${verb} ${resource}`)).toContain(`${right.verb} ${right.resource}`);
      },
    );

    it('validate works', async () => {
      expect((await bed.run('validate', folder)).report).toMatchObject({ outcome: 'healthy', failures: [] });
    });
  });

  describe('teardown', () => {
    const whole = ['--confirm', 'rights', '--include-crds'];
    const alone = (app: string): string[] => [...whole, '--scope', `app:${app}`];

    it.each(some('teardown', isBeforeRemoval))('says what is missing when it may not %s', async (_name, right) => {
      if (right.resource === 'leases' && right.verb === 'patch') await leaveLease();
      const isSnapshot = right.resource === 'volumesnapshots';
      if (isSnapshot) await serveSnapshots();
      await expectRefused(right, 'teardown', ...whole, ...(isSnapshot ? ['--pv-policy', 'snapshot'] : []));
      if (isSnapshot) await bed.client.delete(`${definitionsPath}/volumesnapshots.snapshot.storage.k8s.io`);
    });

    // A definition is marked once: the right to do so is taken away before anybody has done it.
    it.each([
      ...some('teardown', ({ verb, resource }) => resource === 'customresourcedefinitions' && verb === 'patch'),
      ...some('teardown', ({ verb, resource }) => resource === 'applications' && verb !== 'watch'),
      ...some('teardown', ({ verb, resource }) => resource === 'customresourcedefinitions' && verb === 'delete'),
    ])('of one app says what is missing when it may not %s', async (_name, right) => {
      await expectRefused(right, 'teardown', ...alone('definitions'));
    });

    it('of one app works, and only warns, when it may not delete leases', async () => {
      const [right] = rightsOf('teardown').filter(({ verb, resource }) => verb === 'delete' && resource === 'leases');
      expect(await exitWithout(right as Right, 'teardown', ...alone('things'))).toBe(0);
      await bed.client.delete(leasePath);
    });

    it.each(swept.flatMap((kind) => some('teardown', ({ verb, resource }) => verb === 'delete' && resource === kind)))(
      'of everything says what is missing when it may not %s',
      async (_name, right) => {
        if (right.resource === 'persistentvolumeclaims') await leaveClaim();
        if (right.resource === 'persistentvolumes') await leaveVolume();
        await expectRefused(right, 'teardown', ...whole, '--pv-policy', 'delete');
      },
    );

    it('works', async () => {
      const { report } = await bed.run('teardown', folder, ...whole, '--pv-policy', 'delete');
      expect([report.outcome, report.orphans, report.failures]).toEqual(['clean', [], []]);
    });

    it('has had every one of its rights taken away', () => {
      expect(tried.size).toBe((['deploy', 'validate', 'teardown'] as const).flatMap((name) => rightsOf(name)).length);
    });
  });
});

/** Asked for before the first Application is touched. */
function isBeforeRemoval({ verb, resource }: Right): boolean {
  if (resource === 'applications') return verb === 'watch';
  return verb !== 'delete' && resource !== 'customresourcedefinitions';
}

function some(name: RoleName, isMeant: (right: Right) => boolean): [string, Right][] {
  return rightsOf(name)
    .filter(isMeant)
    .map((right) => [`${right.verb} ${right.resource}, as ${name}`, right]);
}

const tried = new Set<string>();

/** Without this right the command fails, and names it. */
async function expectRefused(right: Right, command: Command, ...words: readonly string[]): Promise<void> {
  expect(await exitWithout(right, command, ...words)).toBeGreaterThan(0);
}

/** Takes the right away, runs the command, and wants the right to be named; then gives it back. Answers the exit code. */
function exitWithout(right: Right, command: Command, ...words: readonly string[]): Promise<number | null> {
  return withoutRight(right, async () => {
    const { said, ended } = bed.start(command, folder, ...words);
    const exitCode = await ended;
    expect([said.out + said.err, namesRight(said.out + said.err, right)]).toEqual([expect.anything(), true]);
    return exitCode;
  });
}

async function withoutRight<T>(right: Right, work: () => Promise<T>): Promise<T> {
  tried.add(`${right.of} ${right.verb} ${right.group}/${right.resource} ${right.role.kind}`);
  await applyRole(bed.client, roleWithout(right));
  await untilAllowed(right, false);
  try {
    return await work();
  } finally {
    await applyRole(bed.client, right.role);
    await untilAllowed(right, true);
  }
}

/** The API server hears of changed roles a moment later. */
async function untilAllowed({ of, role, verb, group, resource }: Right, wanted: boolean): Promise<void> {
  const [name, subresource] = (resource === '*' ? 'secrets' : resource).split('/');
  await eventually(`${userOf(of)} ${wanted ? 'may' : 'may not'} ${verb} ${resource}`, async () => {
    const { status } = await bed.client.create<{ status: { allowed: boolean } }>(
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: userOf(of),
          resourceAttributes: {
            verb,
            group: group === '*' ? '' : group,
            resource: name,
            ...(subresource === undefined ? {} : { subresource }),
            ...(role.kind === 'Role' ? { namespace: 'argocd' } : {}),
          },
        },
      },
    );
    return status.allowed === wanted;
  });
}

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const leases = '/apis/coordination.k8s.io/v1/namespaces/argocd/leases';
const leasePath = `${leases}/tiphys-rights`;
const snapshots = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
};

async function serveSnapshots(): Promise<void> {
  const definition = definitionOf(snapshots);
  // The group is Kubernetes' own, and the API server asks who has agreed to it.
  const metadata = { ...definition.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } };
  await bed.client.create(definitionsPath, { ...definition, metadata });
}

/** The lease of a run that died long ago. */
async function leaveLease(): Promise<void> {
  const long = '2020-01-01T00:00:00.000000Z';
  await bed.client.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'tiphys-rights' },
    spec: { holderIdentity: 'dead', acquireTime: long, renewTime: long, leaseDurationSeconds: 30 },
  });
}

/** A claim as a StatefulSet leaves it: not managed by the Application. */
async function leaveClaim(): Promise<void> {
  await bed.client.create('/api/v1/namespaces/vault/persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'left' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
}

/** A volume whose claim has gone, and which nobody deletes. */
async function leaveVolume(): Promise<void> {
  await bed.client.create('/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'left' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: { namespace: 'vault', name: 'gone' },
      nfs: { server: 'nowhere.example.com', path: '/' },
      persistentVolumeReclaimPolicy: 'Delete',
    },
  });
}

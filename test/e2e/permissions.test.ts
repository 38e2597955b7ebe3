import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { OperatorError } from '../../src/engine/operator-error.ts';
import { readStatus } from '../../src/engine/status.ts';
import type { TeardownOrder } from '../../src/engine/teardown.ts';
import { validate } from '../../src/engine/validate.ts';
import { administrator, serviceAccountIdentity } from '../../src/sandbox/api/identities.ts';
import { type Bench, bench, deployOn, executorOn, type Played, platformOf, play, teardownOn } from '../harness.ts';
import { admin } from './look.ts';
import { serveSnapshots } from './snapshots.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

const page = readFileSync('docs/permissions.md', 'utf8');
const roles = parseAllDocuments(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  .map((document) => document.toJS() as RoleObject)
  .filter(({ kind }) => kind.endsWith('Role'));
const forDeploy = roles.filter(({ metadata }) => metadata.name !== 'tiphys-teardown');
const forTeardown = roles.filter(({ metadata }) => metadata.name === 'tiphys-teardown');

// One of each: a definition and a part, a Vault, a Ceph, a database, a hook, a volume.
const platform = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: rights
root: rights-root
stacks:
  base:
    application: rights-base
    apps:
      operator: { type: operator, parts: { crds: { kinds: [CustomResourceDefinition] } } }
      vault: { type: vault }
      web: { needs: [operator#crds] }
  data:
    apps:
      ceph: { type: ceph }
      pg: { type: database, needs: [ceph], stateful: true }
`);
const scenario = { defaults: {}, apps: new Map([['web', { hooks: ['PreSync'] as const }]]) };
const user = serviceAccountIdentity('argocd', 'tiphys');

describe('the rights of docs/permissions.md', () => {
  it('are enough for a whole life: deploy, validate, status, teardown', async () => {
    const on = await clusterWith(roles);
    expect((await deployOn(on)).run).toMatchObject({ outcome: 'success' });
    expect((await validated(on)).run).toMatchObject({ outcome: 'healthy' });
    expect(await on.time.run(readStatus(on.world, platform, new AbortController().signal))).toMatchObject({ phase: 3 });
    expect((await teardownOn(on, { includeCrds: true })).run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    on.close();
    const refused = on.sandbox.requests.filter(({ status, user: who }) => status === 403 && who === user.user);
    expect(refused.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('let who only deploys delete no Application', async () => {
    const on = await clusterWith(forDeploy);
    expect((await deployOn(on)).run).toMatchObject({ outcome: 'success' });
    expect((await validated(on)).run).toMatchObject({ outcome: 'healthy' });
    const { told } = await attempt(() => teardownOn(on));
    on.close();
    expect(told.join('\n')).toContain('cannot list resource "namespaces"');
    expect(
      on.sandbox.requests.some(({ method, resource }) => method === 'DELETE' && resource?.plural === 'applications'),
    ).toBe(false);
  });

  it.each(rulesOf(forDeploy))('deploy and validate say what is missing without %s', async (_name, rule) => {
    const on = await clusterWith(without(forDeploy, rule));
    const deployed = await attempt(() => deployOn(on));
    const looked = deployed.run?.exitCode === 0 ? await attempt(() => validated(on)) : deployed;
    on.close();
    expect(looked.run?.exitCode).not.toBe(0);
    expectNamed(looked.told, rule);
  });

  it.each(rulesOf(forTeardown))('teardown says what is missing without %s', async (_name, rule) => {
    const on = await clusterWith(roles);
    expect((await deployOn(on)).run).toMatchObject({ outcome: 'success' });
    const isSnapshot = rule.resources.includes('volumesnapshots');
    if (isSnapshot) await serveSnapshots(on);
    await leaveClaim(on);
    await setRoles(on, without(roles, rule));
    const order: Partial<TeardownOrder> = { includeCrds: true, ...(isSnapshot ? { pvPolicy: 'snapshot' } : {}) };
    const { run, told } = await attempt(() => teardownOn(on, order));
    on.close();
    expect(run?.exitCode).not.toBe(0);
    expectNamed(told, rule);
  });
});

/** One of the sentences names a verb and a resource of the rule, in Kubernetes' words, and leads to the page. */
function expectNamed(told: readonly string[], rule: Rule): void {
  const words = told.join('\n');
  const named = [...words.matchAll(/cannot (\w+) resource "([\w/]+)" in API group "([\w.]*)"/g)];
  const isOfRule = ([, verb = '', resource = '', group = '']: RegExpMatchArray): boolean =>
    rule.verbs.includes(verb) &&
    (rule.resources.includes(resource) || rule.resources.includes('*')) &&
    (rule.apiGroups.includes(group) || rule.apiGroups.includes('*'));
  expect([words, named.some(isOfRule)]).toEqual([words, true]);
  expect(words).toContain('docs/permissions.md');
}

async function clusterWith(given: readonly RoleObject[]): Promise<Bench> {
  const identities = new Map([
    ['admin', administrator],
    ['tiphys', user],
  ]);
  const on = bench(platform, { identities, scenario });
  await setRoles(on, given);
  const { world } = executorOn(platform, on, 3, 'tiphys');
  return { ...on, world };
}

async function setRoles(on: Bench, given: readonly RoleObject[]): Promise<void> {
  for (const role of given) {
    const { name, namespace } = role.metadata;
    const api = `/apis/rbac.authorization.k8s.io/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`;
    const [plural, bindings] =
      namespace === undefined ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings'];
    await admin(on, 'DELETE', `${api}/${plural}/${name}`);
    await admin(on, 'POST', `${api}/${plural}`, role);
    await admin(on, 'POST', `${api}/${bindings}`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name },
      subjects: [{ kind: 'ServiceAccount', name: 'tiphys', namespace: 'argocd' }],
    });
  }
}

function rulesOf(some: readonly RoleObject[]): [string, Rule][] {
  return some.flatMap(({ rules = [] }) =>
    rules.map((rule): [string, Rule] => [`${rule.verbs.join(', ')} of ${rule.resources.join(', ')}`, rule]),
  );
}

function without(some: readonly RoleObject[], rule: Rule): RoleObject[] {
  return some.map((role) => ({ ...role, rules: (role.rules ?? []).filter((one) => one !== rule) }));
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

async function attempt(run: () => Promise<Played>): Promise<{ run?: Played['run']; told: string[] }> {
  try {
    const played = await run();
    const nodes = [...played.run.nodes.values()].flatMap(({ because = '', hint = '' }) => [because, hint]);
    return {
      run: played.run,
      told: [...nodes, ...played.run.warnings.flatMap(({ message, hint = '' }) => [message, hint])],
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { told: [error.message, error.hint] };
  }
}

function validated(on: Bench): Promise<Played> {
  const order = { platform, runId: 'validate-1', scope: { kind: 'platform' }, found: () => undefined } as const;
  return on.time.run(play(validate(on.world, order, new AbortController().signal)));
}

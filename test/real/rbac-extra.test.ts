import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { writeRepository } from '../../testbed/world/write-repository.ts';
import type { Running } from './program.ts';
import { namesRight, type RoleObject, type Rule } from './rights.ts';
import { applyRole } from './roles.ts';
import { freshTestbed, type RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

let bed: RealBed;

beforeAll(async () => {
  bed = await freshTestbed('real-rbac-extra');
}, 400_000);

afterAll(() => bed?.close());

const argocd = '/apis/argoproj.io/v1alpha1/namespaces/argocd';
const workflows = '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows';

// One after the other: each leaves the cluster as the next one wants it.
describe.sequential('the roles of deploy/rbac/extra on a real API server', () => {
  describe('application-sets.yaml, for a teardown', () => {
    let folder: string;
    const teardown = () => bed.run('teardown', folder, '--confirm', 'sets');

    it('is missed where a set makes what should go: nothing is removed, and the right is named', async () => {
      folder = await publishSet();
      const { exitCode, err } = await teardown();
      expect([exitCode, namesRight(err, right('delete', 'applicationsets'))], err).toEqual([1, true]);
      expect(await bed.client.get(`${argocd}/applications/listed`)).toBeDefined();
    });

    it('is enough', async () => {
      for (const object of extra('application-sets')) await applyRole(bed.client, object);
      const { exitCode, err } = await teardown();
      expect(exitCode, err).toBe(0);
      expect(await bed.client.get(`${argocd}/applications/listed`)).toBeUndefined();
      expect(await bed.client.get(`${argocd}/applicationsets/team`)).toBeUndefined();
    });
  });

  describe('argo-workflows.yaml, for whoever deploys with that engine', () => {
    const roles = extra('argo-workflows');

    beforeAll(async () => {
      const { url } = await bed.publish('platforms/hello');
      expect(url).toMatch(/^file:/);
      for (const object of roles) await applyRole(bed.client, object);
    });

    it.each([
      ['get', 'clusterworkflowtemplates', nothing],
      ['create', 'workflows', nothing],
      ['watch', 'workflows', nothing],
      // What is not followed any more is stopped, and only the server can say that it is gone.
      ['patch', 'workflows', async ({ child }: Running) => void child.kill('SIGINT')],
      ['get', 'workflows', () => deleteWorkflows()],
    ] as const)('is missed when it may not %s %s', async (verb, resource, then) => {
      const role = roles.find(({ rules = [] }) => rules.some((rule) => rule.resources.includes(resource)));
      if (role === undefined) throw new Error(`no role names ${resource}`);
      await applyRole(bed.client, { ...role, rules: (role.rules ?? []).flatMap((rule) => lessThan(rule, verb)) });
      try {
        const run = bed.start('deploy', 'platforms/hello', '--engine', 'argo-workflows');
        await Promise.race([run.ended, eventually('it is submitted', async () => (await submitted()).length > 0)]);
        await then(run);
        await eventually(`${verb} ${resource} is named`, async () =>
          namesRight(run.said.out + run.said.err, right(verb, resource)),
        );
        run.child.kill('SIGKILL');
        expect(await run.ended).not.toBe(0);
      } finally {
        await applyRole(bed.client, role);
        await deleteWorkflows();
        await bed.client.delete('/apis/coordination.k8s.io/v1/namespaces/argocd/leases/tiphys-hello');
      }
    });
  });
});

function right(verb: string, resource: string) {
  return { verb, group: 'argoproj.io', resource };
}

async function nothing(): Promise<void> {
  // It finds out by itself.
}

/** A rule without any verb is no rule: the API server refuses it. */
function lessThan(rule: Rule, verb: string): readonly Rule[] {
  const verbs = rule.verbs.filter((one) => one !== verb);
  return verbs.length === 0 ? [] : [{ ...rule, verbs }];
}

function extra(name: string): readonly RoleObject[] {
  const file = readFileSync(`deploy/rbac/extra/${name}.yaml`, 'utf8');
  return parseAllDocuments(file).map((one) => one.toJS() as RoleObject);
}

async function submitted(): Promise<readonly { metadata: { name: string } }[]> {
  return (await bed.client.list<{ metadata: { name: string } }>(workflows)).items;
}

async function deleteWorkflows(): Promise<void> {
  for (const { metadata } of await submitted()) await bed.client.delete(`${workflows}/${metadata.name}`);
}

/** One app, made by an ApplicationSet. */
async function publishSet(): Promise<string> {
  const repository = join(bed.state.folder, 'repo');
  const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: listed }\n';
  await writeRepository(repository, { files: new Map([['listed/one.yaml', object]]), branches: ['main'] });
  await bed.client.create(`${argocd}/applicationsets`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'team', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ app: 'listed' }] } }],
      template: {
        metadata: { name: '{{.app}}' },
        spec: {
          project: 'default',
          source: { repoURL: `file://${repository}`, path: '{{.app}}', targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: '{{.app}}' },
          syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
        },
      },
    },
  });
  const folder = join(bed.state.folder, 'sets');
  mkdirSync(folder, { recursive: true });
  const dag = 'apiVersion: tiphys.dev/v1\nkind: Platform\nname: sets\nstacks:\n  all:\n    apps:\n      listed: {}\n';
  writeFileSync(join(folder, 'dag.yaml'), dag);
  const environment = 'name: test\ndomain: example.com\ngitRepository: file:///nowhere\ngitRevision: main\n';
  writeFileSync(join(folder, 'environment.yaml'), environment);
  await eventually('the set has made its Application, which is deployed', async () => {
    const seen = await bed.client.get<{ status?: { health?: { status?: string }; sync?: { status?: string } } }>(
      `${argocd}/applications/listed`,
    );
    return seen?.status?.sync?.status === 'Synced' && seen.status.health?.status === 'Healthy';
  });
  return folder;
}

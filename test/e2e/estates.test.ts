import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { RunEvent } from '../../src/core/run/events.ts';
import { administrator, serviceAccountIdentity } from '../../src/sandbox/api/identities.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type Bench, bench, deployOn, executorOn, platformOf, teardownOn } from '../harness.ts';
import { admin, writes } from './look.ts';

const dag = (web: string): string => `apiVersion: tiphys.dev/v1
kind: Platform
name: mixed
root: mixed-root
stacks:
  base:
    application: mixed-base
    apps:
      store: {}
  team:
    application: mixed-team
    apps:
      web: { needs: [store], application: ${web} }
      docs: { needs: [web] }
`;

/** Real estates are mixed: not every Application stands in Argo CD's namespace, and not every one stands in Git. */
describe('a mixed estate', () => {
  let on: Bench;
  afterEach(() => on.close());

  it('brings an Application of another namespace up in its turn and takes it down again (R2.1, R7.8)', async () => {
    on = bench(platformOf(dag('team-a/web')));
    await upInOrder();
    expect(on.world.argocd.application('team-a/web')).toMatchObject({ project: 'team', health: { status: 'Healthy' } });
    expect(on.world.argocd.application('web')).toBeUndefined();
    await downToNothing();
  });

  it('holds what an ApplicationSet makes until its turn, and dissolves the set before it takes them down (INV-1, R7.8)', async () => {
    on = bench(platformOf(dag('web')));
    putIntoASet('stacks/team', ['web', 'docs']);
    await upInOrder();
    expect(on.world.argocd.application('web')).toMatchObject({ madeBy: 'team', health: { status: 'Healthy' } });
    await downToNothing();
  });

  it('does not take down one app of a set, because the set would make it again', async () => {
    on = bench(platformOf(dag('web')));
    putIntoASet('stacks/team', ['web', 'docs']);
    await upInOrder();
    const before = writes(on).length;
    await expect(teardownOn(on, { scope: { kind: 'app', name: 'docs' } })).rejects.toMatchObject({
      message: 'ApplicationSet team also makes web, which should stay',
      exitCode: 1,
    });
    expect(writes(on, before).filter(({ user }) => user !== 'argocd')).toEqual([]);
    expect(on.world.argocd.application('docs')).toBeDefined();
  });

  it('may dissolve a set with one right more than other teardowns need, and names it when it is missing', async () => {
    const teardown = serviceAccountIdentity('argocd', 'tiphys-teardown');
    const identities = new Map([
      ['admin', administrator],
      ['teardown', teardown],
    ]);
    const cluster = bench(platformOf(dag('web')), { identities });
    on = { ...cluster, world: executorOn(cluster.platform, cluster, 2, 'admin').world };
    putIntoASet('stacks/team', ['web', 'docs']);
    await upInOrder();
    await give(on, 'deploy/rbac/teardown.yaml');
    const { world } = executorOn(on.platform, on, 3, 'teardown');
    const refused = await teardownOn({ ...on, world });
    expect(refused.run.exitCode).toBe(1);
    expect(refused.run.warnings.map(({ message }) => message).join()).toContain(
      'cannot delete resource "applicationsets"',
    );
    await give(on, 'deploy/rbac/extra/application-sets.yaml');
    expect((await teardownOn({ ...on, world })).run.exitCode).toBe(0);
  });

  async function upInOrder(): Promise<void> {
    const { run, events } = await deployOn(on);
    expect(run.exitCode).toBe(0);
    expect(events.flatMap(healthyNode)).toEqual(['store', 'web', 'docs']);
    expect(await held()).toEqual([]);
  }

  async function downToNothing(): Promise<void> {
    const madeAgain: string[] = [];
    on.sandbox.store.subscribe(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Application') madeAgain.push(object.metadata.name);
    });
    const { run, events } = await teardownOn(on);
    expect(run.exitCode).toBe(0);
    expect(madeAgain).toEqual([]);
    expect(events.flatMap(removedNode)).toEqual(['docs', 'web', 'store']);
    expect((await on.world.argocd.observe(new AbortController().signal)).applications.size).toBe(0);
  }

  async function held(): Promise<string[]> {
    const projects = await on.time.run(on.world.argocd.projects(new AbortController().signal));
    return projects.flatMap((project) => project.held);
  }

  /** The same Applications as before, but made by a set with a list of their names. */
  function putIntoASet(path: string, names: readonly string[]): void {
    const { git } = on.sandbox.world;
    const content = git.read(path, git.head);
    if ('error' in content) throw new Error(content.error);
    const [first] = content.objects.filter((object) => object.kind === 'Application');
    const named = JSON.parse(JSON.stringify(first?.['spec']).replaceAll(/\b(web|docs)\b/g, '{{.app}}')) as object;
    const set: KubeObject = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'team', namespace: 'argocd' },
      spec: {
        goTemplate: true,
        generators: [{ list: { elements: names.map((app) => ({ app })) } }],
        template: { metadata: { name: '{{.app}}' }, spec: named },
      },
    };
    git.commit(new Map([[path, [set]]]));
  }
});

async function give(on: Bench, file: string): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object = document.toJS() as KubeObject;
    if (object.kind === 'ServiceAccount') continue;
    const { namespace } = object.metadata;
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const path = `/apis/rbac.authorization.k8s.io/v1${within}/${object.kind.toLowerCase()}s`;
    expect((await admin(on, 'POST', path, object)).status).toBe(201);
  }
}

function healthyNode(event: RunEvent): string[] {
  return event.type === 'node-healthy' ? [event.node] : [];
}

function removedNode(event: RunEvent): string[] {
  return event.type === 'node-removed' ? [event.node] : [];
}

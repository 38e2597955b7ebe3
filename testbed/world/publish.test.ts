import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { platformNamed } from '../../src/sandbox/sandbox.fixture.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import { createWorld } from '../../src/sandbox/world/world.ts';
import { publish } from './publish.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'testbed-publish-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what is published', () => {
  test.each(['hello', 'reference'])(
    'holds for every app of %s what the sandbox holds, and nothing else',
    async (name) => {
      const { url } = await publish({ folder }, `platforms/${name}`);
      const platform = platformNamed(name);
      const world = createWorld({
        platform: { ...platform, environment: { ...platform.environment, gitRepository: url } },
      });
      const places = [
        paths.root,
        ...[...platform.stacks.keys()].map(paths.stack),
        ...[...platform.apps.keys()].map(paths.app),
      ];
      for (const place of places) {
        const content = world.git.read(place, world.git.head);
        if ('error' in content) throw new Error(content.error);
        // Waves and hooks stand in the scenario of the folder, which this bare world does not have.
        const own = published(place).filter(({ kind }) => kind !== 'Job');
        expect(own.map(plain).sort(byName), place).toEqual(content.objects.map(plain).sort(byName));
      }
      expect(foldersIn('.')).toEqual(['apps', 'root', 'stacks']);
      expect(foldersIn('apps')).toEqual([...platform.apps.keys()].sort());
    },
  );

  test('every Application reads the repository, prunes and heals by itself, makes its namespace and has no finalizer', async () => {
    const { url, top } = await publish({ folder }, 'platforms/reference');
    const applications = [...foldersIn('stacks').map((stack) => `stacks/${stack}`), 'root']
      .flatMap(published)
      .concat(top)
      .filter(({ kind }) => kind === 'Application');
    expect(applications).toHaveLength(47 + 9 + 1);
    for (const { metadata, spec } of applications) {
      expect(metadata.finalizers).toBeUndefined();
      expect(spec).toMatchObject({
        source: { repoURL: url, targetRevision: 'main' },
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
      });
    }
  });

  test('every stack has an AppProject of its own, and its apps consist of what real ones consist of', async () => {
    await publish({ folder }, 'platforms/reference');
    const stacks = foldersIn('stacks');
    const projects = published('root').filter(({ kind }) => kind === 'AppProject');
    expect(projects.map(({ metadata }) => metadata.name).sort()).toEqual(stacks.sort());
    for (const stack of stacks) {
      const used = published(`stacks/${stack}`).map(({ spec }) => (spec as { project?: string }).project);
      expect([...new Set(used)]).toEqual([stack]);
    }
    const kinds = new Set(foldersIn('apps').flatMap((app) => published(`apps/${app}`).map(({ kind }) => kind)));
    const ordinary = [
      'CustomResourceDefinition',
      'Deployment',
      'StatefulSet',
      'Service',
      'ConfigMap',
      'PersistentVolumeClaim',
    ];
    const operated = ['CephCluster', 'postgresql', 'Kafka', 'RedisCluster'];
    expect([...kinds]).toEqual(expect.arrayContaining([...ordinary, ...operated]));
  });

  test('the Applications at the top come under a hold', async () => {
    const { top } = await publish({ folder }, 'platforms/reference');
    expect(top.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'AppProject default',
      'Application platform-root',
    ]);
    expect(top[0]?.['spec']).toMatchObject({
      syncWindows: [{ kind: 'deny', manualSync: true, applications: ['platform-root'] }],
    });
  });

  test('definitions that no app brings have to be there from the start', async () => {
    const { preinstalled } = await publish({ folder }, writtenPlatform());
    expect(preinstalled.map(({ metadata }) => metadata.name)).toEqual(['postgresqls.acid.zalan.do']);
  });

  test('text that older YAML takes for something else is quoted, because Argo CD reads that', async () => {
    await publish({ folder }, 'platforms/reference', { faults: ['pg-clusters=degraded'] });
    const claim = readFileSync(
      join(folder, 'repo/apps/pg-clusters/persistentvolumeclaim-pg-clusters-data.yaml'),
      'utf8',
    );
    expect(claim).toContain('pv.kubernetes.io/bind-completed: "yes"');
  });

  test('an app without objects still has its folder, or Argo CD would call it an error', async () => {
    await publish({ folder }, 'platforms/hello', { faults: ['web=empty'] });
    expect(readdirSync(join(folder, 'repo/apps/web'))).toEqual(['.gitkeep']);
    expect(git('ls-files', 'apps/web')).toBe('apps/web/.gitkeep');
  });
});

describe('the repository', () => {
  test('gets no commit when nothing has changed, and one when something has', async () => {
    const first = await publish({ folder }, 'platforms/hello');
    const again = await publish({ folder }, 'platforms/hello');
    const other = await publish({ folder }, 'platforms/hello', { faults: ['web=degraded'] });
    expect(again.commit).toBe(first.commit);
    expect(other.commit).not.toBe(first.commit);
    expect(git('rev-parse', 'main')).toBe(other.commit);
    expect(git('rev-list', '--count', 'main')).toBe('2');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('loses what is no longer published, in the commit and in the work tree', async () => {
    await publish({ folder }, 'platforms/reference');
    await publish({ folder }, 'platforms/hello');
    expect(foldersIn('apps')).toEqual([...platformNamed('hello').apps.keys()].sort());
    expect(git('ls-tree', '--name-only', 'main', 'apps/vault')).toBe('');
  });

  test('goes on after somebody was killed in the middle of publishing', async () => {
    await publish({ folder }, 'platforms/hello');
    writeFileSync(join(folder, 'repo/.git/index.lock'), '');
    writeFileSync(join(folder, 'repo/.git/next-index'), 'half an index');
    const { commit } = await publish({ folder }, 'platforms/hello', { faults: ['web=degraded'] });
    expect(git('rev-parse', 'main')).toBe(commit);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('refuses a fault of an app that is not there, with a sentence', async () => {
    await expect(publish({ folder }, 'platforms/hello', { faults: ['wob=degraded'] })).rejects.toThrow(
      'there is no app called “wob”',
    );
    await expect(publish({ folder }, 'platforms/hello', { faults: ['web=sealed'] })).rejects.toThrow(
      'only an app of type vault can be sealed',
    );
  });
});

function published(place: string): KubeObject[] {
  const names = readdirSync(join(folder, 'repo', place)).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => parse(readFileSync(join(folder, 'repo', place, name), 'utf8')) as KubeObject);
}

function foldersIn(place: string): string[] {
  const entries = readdirSync(join(folder, 'repo', place), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => name);
}

/** Without what only the testbed needs. */
function plain(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) => {
    if (key === 'annotations' || key === 'podManagementPolicy') return undefined;
    return value;
  });
}

function byName(a: unknown, b: unknown): number {
  return JSON.stringify(a).localeCompare(JSON.stringify(b));
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', join(folder, 'repo'), ...args], { encoding: 'utf8' }).trim();
}

function writtenPlatform(): string {
  writeFileSync(
    join(folder, 'dag.yaml'),
    'apiVersion: tiphys.dev/v1\nkind: Platform\nname: small\nstacks: { data: { apps: { db: { type: database } } } }\n',
  );
  const where = 'name: test\ndomain: example.com\ngitRepository: https://git.example.com/a.git\ngitRevision: main\n';
  writeFileSync(join(folder, 'environment.yaml'), where);
  return folder;
}

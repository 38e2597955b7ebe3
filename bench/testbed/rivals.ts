import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { levels } from '../../src/core/graph/levels.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { App, Need, Platform } from '../../src/core/platform/platform.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Published } from '../../testbed/world/publish.ts';
import type { Bed } from './bed.ts';

const argocd = '/apis/argoproj.io/v1alpha1/namespaces/argocd';
const execute = promisify(execFile);

/** Argo CD's own means know no parts of an Application: what others need early becomes an Application of its own. */
export function withoutParts(platform: Platform): Platform {
  const { partNodes } = nodeGraph(platform);
  const own = (node: string): string => node.replace('#', '-');
  const moved = (need: Need): Need => ({ ...need, node: own(need.node) });
  const apps = new Map<string, App>();
  for (const app of platform.apps.values()) {
    const parts = [...app.parts.values()].filter(({ name }) => partNodes.has(`${app.name}#${name}`));
    const before = parts.map(({ name }): Need => ({ node: `${app.name}-${name}`, edge: 'hard', at: app.at }));
    apps.set(app.name, { ...app, needs: [...app.needs.map(moved), ...before], parts: new Map() });
    for (const { name, needs } of parts) {
      const split = `${app.name}-${name}`;
      apps.set(split, { ...app, name: split, application: split, needs: needs.map(moved), parts: new Map() });
    }
  }
  return { ...platform, apps };
}

/** An ApplicationSet that brings one level of the graph after the other. Answers once it is created. */
export async function startRollingSync({ client }: Bed, published: Published, split: Platform): Promise<void> {
  const elements = elementsOf(published, split);
  const steps = [...new Set(elements.map(({ level }) => level))].map((level) => ({
    matchExpressions: [{ key: 'level', operator: 'In', values: [level] }],
  }));
  await client.create(`${argocd}/applicationsets`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'rolling', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements } }],
      strategy: { type: 'RollingSync', rollingSync: { steps } },
      syncPolicy: { preserveResourcesOnDeletion: true },
      template: {
        metadata: { name: '{{.name}}', labels: { level: '{{.level}}' } },
        spec: specOf(published, {
          name: '{{.name}}',
          level: '{{.level}}',
          namespace: '{{.namespace}}',
          path: '{{.path}}',
          include: '{{.include}}',
          exclude: '{{.exclude}}',
        }),
      },
    },
  });
}

/** An Application of Applications, each in the sync wave of its level. Answers once it is created. */
export async function startWaves(bed: Bed, published: Published, split: Platform): Promise<() => Promise<void>> {
  const folder = join(bed.state.folder, 'repo');
  mkdirSync(join(folder, 'waves'));
  for (const element of elementsOf(published, split)) {
    const annotations = { 'argocd.argoproj.io/sync-wave': element.level };
    const child = application(element.name, specOf(published, element), annotations);
    writeFileSync(join(folder, 'waves', `${element.name}.yaml`), stringify(child));
  }
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgSign=false'];
  await execute('git', ['add', 'waves'], { cwd: folder });
  await execute('git', [...identity, 'commit', '-q', '-m', 'Put every Application in its wave'], { cwd: folder });
  const root = specOf(published, { ...whole, name: 'waves', level: '', namespace: 'argocd', path: 'waves' });
  return async () => void (await bed.client.create(`${argocd}/applications`, application('waves', root, {})));
}

interface Element {
  readonly name: string;
  readonly level: string;
  readonly namespace: string;
  readonly path: string;
  /** Which files of its path. */
  readonly include: string;
  readonly exclude: string;
}

const whole = { include: '*', exclude: '' };

function elementsOf({ platform }: Published, split: Platform): Element[] {
  return levels(nodeGraph(split).graph).flatMap((names, level) =>
    names.map((name) => {
      const of = [...platform.apps.values()].find((app) => app.name === name || isPartOf(app, name)) as App;
      const files = (kinds: readonly string[]): string => `{${kinds.map((kind) => `${kind.toLowerCase()}-*`).join()}}`;
      const taken = [...of.parts.values()].filter((part) => split.apps.has(`${of.name}-${part.name}`));
      const kinds = taken.flatMap((part) => part.kinds);
      const choice =
        of.name !== name
          ? { include: files(kinds), exclude: '' }
          : kinds.length === 0
            ? whole
            : { include: '*', exclude: files(kinds) };
      return { name, level: String(level), namespace: of.name, path: `apps/${of.name}`, ...choice };
    }),
  );
}

function isPartOf(app: App, name: string): boolean {
  return [...app.parts.keys()].some((part) => `${app.name}-${part}` === name);
}

function specOf({ url, platform }: Published, { namespace, path, include, exclude }: Element): object {
  return {
    project: 'default',
    source: { repoURL: url, path, targetRevision: platform.environment.gitRevision, directory: { include, exclude } },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  };
}

function application(name: string, spec: object, annotations: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name, namespace: 'argocd', annotations };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec };
}
